// One delivery on a wall: each part is a post with the text, photos, or both.

import { z } from 'zod';
import type { SendMedia, SendOptions, SendOutcome, SendRequest } from '../adapter.ts';
import type { Caller } from '../caller.ts';
import { type PartOutcome, type PartToSend, sendParts } from '../parts.ts';
import { callTimeoutMs } from '../settings.ts';
import { type Answer, type VkApi, withRetry } from './api.ts';
import { findEarlier } from './recovery.ts';
import { readTarget, type Target } from './target.ts';
import { type AttachedPhoto, preparePhotos, uploadAnew } from './uploads.ts';
import { attachmentNames, readPost, withoutKey } from './wall-posts.ts';

const Posted = z.object({ post_id: z.int().positive() });

interface NewPost {
  /** For about an hour VK makes one post of all calls with the same guid. */
  readonly guid: string;
  readonly text: string;
  readonly media: readonly SendMedia[];
}

export async function sendPost(
  api: VkApi,
  request: SendRequest,
  options: SendOptions,
): Promise<SendOutcome> {
  const wall = readTarget(request.channel);
  const { signal, holds, beforeCall, onAnswer } = options;
  const timeoutMs = callTimeoutMs(request.channel);
  const caller = { token: request.token, signal, holds, beforeCall, onAnswer, timeoutMs };
  return sendParts(request, options, async (next) =>
    'code' in wall ? { ok: false, error: wall } : sendPart(api, caller, wall, request, next),
  );
}

async function sendPart(
  api: VkApi,
  caller: Caller,
  wall: Target,
  request: SendRequest,
  next: PartToSend,
): Promise<PartOutcome> {
  const post = postOf(request, next);
  if (next.mayHaveArrived) {
    const attempt = { ...post, deliveryId: request.deliveryId, photos: keptNames(post.media) };
    const finding = await findEarlier(api, caller, wall, attempt);
    if (finding.kind === 'wait') return { ok: false, error: finding.error };
    if (finding.kind === 'arrived') return sent(finding.postId);
  }
  const photos = await preparePhotos(api, caller, wall, post.media);
  if (!photos.ok) return photos;
  return publish(api, caller, wall, post, photos.value);
}

function postOf(
  { deliveryId, text, media, parts }: SendRequest,
  { part, item }: PartToSend,
): NewPost {
  const guid = parts.length === 1 ? deliveryId : `${deliveryId}-${item}`;
  if (part.kind === 'text') return { guid, text, media: [] };
  const own = part.media.flatMap((place) => media[place] ?? []);
  return { guid, text: part.caption ? text : '', media: own };
}

/** All of them, or none: some of its photos do not tell a post from another. */
function keptNames(media: readonly SendMedia[]): string[] {
  const names = media.map(({ source }) => ('blob' in source ? source.blob.fileId : undefined));
  const known = names.filter((name) => name !== undefined);
  return known.length === names.length ? known : [];
}

async function publish(
  api: VkApi,
  caller: Caller,
  wall: Target,
  post: NewPost,
  photos: readonly AttachedPhoto[],
): Promise<PartOutcome> {
  const posted = await callPost(api, caller, wall, post, photos);
  const hasKept = photos.some((photo) => photo.isKept);
  if (posted.ok) {
    if (hasKept) await restorePhotos(api, caller, wall, post, photos, posted.value);
    return sent(posted.value);
  }
  // If a post consists only of photos that VK no longer has, VK says that a parameter is missing.
  const isMissing = posted.said === 100 && posted.error.scope === 'delivery';
  if (!hasKept || !isMissing) return posted;
  const anew = await uploadAnew(api, caller, wall, photos, (photo) => photo.isKept);
  if (!anew.ok) return anew;
  const again = await callPost(api, caller, wall, post, anew.value);
  return again.ok ? sent(again.value) : again;
}

async function callPost(
  api: VkApi,
  caller: Caller,
  wall: Target,
  post: NewPost,
  photos: readonly AttachedPhoto[],
): Promise<Answer<number>> {
  const parameters = {
    ...content(wall, post, photos),
    from_group: wall.fromGroup ? 1 : undefined,
    guid: post.guid,
  };
  const call = () => api.call(caller, 'wall.post', parameters, Posted);
  const hasUploaded = photos.some((photo) => !photo.isKept);
  const posted = await (hasUploaded ? withRetry(api, caller, call) : call());
  return posted.ok ? { ok: true, value: posted.value.post_id } : posted;
}

function content(wall: Target, post: NewPost, photos: readonly AttachedPhoto[]) {
  return {
    owner_id: wall.ownerId,
    message: post.text === '' ? undefined : post.text,
    attachments: photos.length === 0 ? undefined : photos.map((photo) => photo.name).join(','),
  };
}

/**
 * VK leaves photos that it no longer has out of a post and says nothing. They are uploaded anew and added, if the
 * token may read the post and VK allows the edit. The post is published in any case.
 */
async function restorePhotos(
  api: VkApi,
  caller: Caller,
  wall: Target,
  post: NewPost,
  photos: readonly AttachedPhoto[],
  postId: number,
): Promise<void> {
  const read = await withRetry(api, caller, () => readPost(api, caller, wall, String(postId)));
  if (!read.ok || read.value === undefined) return;
  const shown = new Set(attachmentNames(read.value).map((name) => withoutKey(name ?? '')));
  const isGone = (photo: AttachedPhoto) => photo.isKept && !shown.has(withoutKey(photo.name));
  if (!photos.some(isGone)) return;
  const anew = await uploadAnew(api, caller, wall, photos, isGone);
  if (!anew.ok) return;
  const parameters = { ...content(wall, post, anew.value), post_id: postId };
  await withRetry(api, caller, () => api.call(caller, 'wall.edit', parameters, Posted));
}

function sent(postId: number): PartOutcome {
  return { ok: true, providerMessageId: String(postId) };
}
