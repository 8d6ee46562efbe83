// Brings photos to a wall in three steps: asks for an address, uploads the photo there, and saves it. Each photo has
// an address of its own; a saved photo can be attached to any number of posts.

import { z } from 'zod';
import type { Blob, SendError, SendMedia } from '../adapter.ts';
import { asksToComeBack, noAnswer, readAnswer, recoded, retryAfter, sendError } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { type Answer, type VkApi, withRetry } from './api.ts';
import type { Target } from './target.ts';

export interface AttachedPhoto {
  /** As wall.post takes it: `photo<owner>_<id>_<key>`. */
  readonly name: string;
  readonly blob: Blob;
  /** Uploaded by an earlier send; VK may no longer have it. */
  readonly isKept: boolean;
}

const UploadServer = z.object({ upload_url: z.string() });
const Receipt = z.object({
  server: z.union([z.int(), z.string()]),
  /** JSON as a string, handed back unchanged. */
  photo: z.string(),
  hash: z.string(),
});
const SavedPhotos = z.tuple([
  z.object({
    id: z.int().positive(),
    owner_id: z.int(),
    access_key: z
      .string()
      .regex(/^[A-Za-z0-9]{1,64}$/)
      .optional(),
  }),
]);

/** The photos of a post, in their order; those that have been uploaded before are not opened. */
export async function preparePhotos(
  api: VkApi,
  caller: Caller,
  wall: Target,
  media: readonly SendMedia[],
): Promise<Answer<readonly AttachedPhoto[]>> {
  const photos: AttachedPhoto[] = [];
  for (const medium of media) {
    const refusal = whyNotTaken(medium);
    if (refusal !== undefined) return { ok: false, error: refusal };
  }
  for (const { source } of media) {
    if ('url' in source) continue;
    const { blob } = source;
    if (blob.fileId !== undefined) {
      photos.push({ name: blob.fileId, blob, isKept: true });
      continue;
    }
    const uploaded = await uploadPhoto(api, caller, wall, blob);
    if (!uploaded.ok) return uploaded;
    photos.push(uploaded.value);
  }
  return { ok: true, value: photos };
}

function whyNotTaken({ type, source }: SendMedia): SendError | undefined {
  if (type !== 'image' && type !== 'animation') {
    return sendError('validation_failed', `a post on VK takes photos, and this is of type ${type}`);
  }
  if ('url' in source) {
    return sendError('validation_failed', 'VK takes no photo by its address: it must be uploaded');
  }
  return undefined;
}

/** Uploads the photos anew that VK no longer has; the others stay as they are. */
export async function uploadAnew(
  api: VkApi,
  caller: Caller,
  wall: Target,
  photos: readonly AttachedPhoto[],
  isGone: (photo: AttachedPhoto) => boolean,
): Promise<Answer<readonly AttachedPhoto[]>> {
  const all: AttachedPhoto[] = [];
  for (const photo of photos) {
    if (!isGone(photo)) {
      all.push(photo);
      continue;
    }
    await quietly(photo.blob.forget());
    const uploaded = await uploadPhoto(api, caller, wall, photo.blob);
    if (!uploaded.ok) return uploaded;
    all.push(uploaded.value);
  }
  return { ok: true, value: all };
}

async function uploadPhoto(
  api: VkApi,
  caller: Caller,
  wall: Target,
  blob: Blob,
): Promise<Answer<AttachedPhoto>> {
  const receipt = await uploadTwice(api, caller, wall, blob);
  if (!receipt.ok) return notPosted(receipt.error);
  const parameters = { ...wall.photoOwner, ...receipt.value };
  const saved = await withRetry(api, caller, () =>
    api.call(caller, 'photos.saveWallPhoto', parameters, SavedPhotos),
  );
  if (!saved.ok) return notPosted(saved.error);
  const [{ id, owner_id: owner, access_key: key }] = saved.value;
  const name = `photo${owner}_${id}${key === undefined ? '' : `_${key}`}`;
  await quietly(blob.keep(name));
  return { ok: true, value: { name, blob, isKept: false } };
}

type Upload = Answer<z.output<typeof Receipt>>;

/** An upload that yields no photo is tried at another address: one server may be broken. */
async function uploadTwice(api: VkApi, caller: Caller, wall: Target, blob: Blob): Promise<Upload> {
  const first = await upload(api, caller, wall, blob);
  if (!first.ok || !isEmpty(first.value)) return first;
  const second = await upload(api, caller, wall, blob);
  if (!second.ok || !isEmpty(second.value)) return second;
  const words = `VK takes no photo from ${blob.filename}: it must be a JPG, PNG or GIF of at most 50 MB, with sides of at most 14,000 pixels together and at most 1:20`;
  return { ok: false, error: sendError('validation_failed', words) };
}

function isEmpty({ photo }: z.output<typeof Receipt>): boolean {
  return photo === '' || photo === '[]';
}

async function upload(api: VkApi, caller: Caller, wall: Target, blob: Blob): Promise<Upload> {
  const { group_id } = wall.photoOwner;
  const server = await withRetry(api, caller, () =>
    api.call(caller, 'photos.getWallUploadServer', { group_id }, UploadServer),
  );
  if (!server.ok) return server;
  const { filename, contentType, sizeBytes } = blob;
  const file = { name: 'photo', filename, contentType, sizeBytes, open: () => blob.open() };
  const reply = await api.options.transport.send({
    method: 'POST',
    url: server.value.upload_url,
    body: { multipart: [file] },
    timeoutMs: api.options.uploadTimeoutMs,
    signal: caller.signal,
    holds: caller.holds,
    onAnswer: caller.onAnswer,
    secrets: [caller.token],
  });
  if (reply.kind !== 'answered') return { ok: false, error: noAnswer(reply) };
  const receipt = readAnswer(reply, Receipt);
  if (receipt !== undefined) return { ok: true, value: receipt };
  const words = `the upload server of VK answered with status ${reply.status}`;
  if (reply.status === 413) return { ok: false, error: sendError('validation_failed', words) };
  const asked = asksToComeBack(reply.status) ? retryAfter(reply, api.options.now()) : {};
  return { ok: false, error: sendError('upload_failed', words, asked) };
}

/** Whatever became of the upload, the post itself has not been sent. */
function notPosted(error: SendError): { ok: false; error: SendError } {
  return {
    ok: false,
    error: error.outcome === 'unknown' ? recoded(error, 'upload_failed') : error,
  };
}

/** A name that cannot be kept or forgotten must not fail the post. */
async function quietly(work: Promise<void>): Promise<void> {
  await work.catch(() => undefined);
}
