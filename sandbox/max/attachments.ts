// The rules for attachments of a message, and how MAX gives them back.

import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Json } from './json.ts';
import { checkKeyboard, keyboardShape } from './keyboard.ts';
import { looksLikeVideo } from './media-signature.ts';
import { invalid, notReady, unsupportedVideo } from './replies.ts';
import { fileUrl, mediaView, type Upload, type UploadType } from './upload-store.ts';
import type { Attachment, Keyboard, World } from './world.ts';

const token = z.string();
const tokenPayload = z.object({ token });

const attachmentShape = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('image'),
    payload: z.object({
      token: token.nullish(),
      url: z.string().nullish(),
      photos: z.record(z.string(), z.object({ token })).nullish(),
    }),
  }),
  z.object({ type: z.literal('video'), payload: tokenPayload }),
  z.object({ type: z.literal('audio'), payload: tokenPayload }),
  z.object({ type: z.literal('file'), payload: tokenPayload }),
  keyboardShape,
  z.object({ type: z.literal('location'), latitude: z.number(), longitude: z.number() }),
  z.object({
    type: z.literal('share'),
    payload: z.object({ url: z.string().nullish(), token: token.nullish() }),
  }),
  z.object({
    type: z.literal('contact'),
    payload: z.object({
      name: z.string().nullish(),
      contact_id: z.number().nullish(),
      vcf_info: z.string().nullish(),
      vcf_phone: z.string().nullish(),
    }),
  }),
  z.object({ type: z.literal('sticker'), payload: z.object({ code: z.string() }) }),
]);

type AttachmentRequest = z.infer<typeof attachmentShape>;

export const attachmentsShape = z.array(attachmentShape);

export interface CheckedAttachments {
  readonly attachments: readonly Attachment[];
  readonly keyboard?: Omit<Keyboard, 'callbackId'> | undefined;
}

/** All attachments of one message, or the refusal. */
export function checkAttachments(
  world: World,
  requests: readonly AttachmentRequest[],
): CheckedAttachments {
  const keyboards = requests.filter((request) => request.type === 'inline_keyboard');
  const others = requests.filter((request) => request.type !== 'inline_keyboard');
  // Assumed: one keyboard at most.
  if (keyboards.length > 1) throw invalid('Must be only one keyboard in message');
  checkCompany(others, world.settings.attachmentsMax);
  const rows = keyboards[0]?.payload.buttons;
  if (rows !== undefined) checkKeyboard(rows);
  return {
    attachments: others.flatMap((request) => read(world, request)),
    keyboard: rows === undefined ? undefined : { rows },
  };
}

function checkCompany(requests: readonly AttachmentRequest[], most: number): void {
  const has = (type: string) => requests.some((request) => request.type === type);
  if (has('file') && requests.length > 1) {
    throw invalid('Must be only one file attachment in message');
  }
  // The schema allows audio only alone; a report has seen it mixed. We take the stricter rule, in assumed words.
  if (has('audio') && requests.length > 1) {
    throw invalid('Must be only one audio attachment in message');
  }
  if (requests.length > most) throw invalid(`attachments: size must be between 0 and ${most}`);
}

function read(
  world: World,
  request: Exclude<AttachmentRequest, { type: 'inline_keyboard' }>,
): Attachment[] {
  if (request.type === 'image') return readImages(world, request.payload);
  if (request.type === 'location') {
    const { latitude, longitude } = request;
    return [{ json: { latitude, longitude, type: 'location' } }];
  }
  if (request.type === 'share') {
    if (!request.payload.url && !request.payload.token) {
      throw invalid('No `url` or `token` provided. Check payload.');
    }
    return [{ json: { payload: request.payload, type: 'share' } }];
  }
  if (request.type === 'contact') return [{ json: { payload: request.payload, type: 'contact' } }];
  if (request.type === 'sticker') {
    const { code } = request.payload;
    const payload = { url: `${world.baseUrl}/stickers/${code}`, code };
    return [{ json: { payload, width: 256, height: 256, type: 'sticker' } }];
  }
  return [uploaded(world, request.type, request.payload.token)];
}

type ImagePayload = Extract<AttachmentRequest, { type: 'image' }>['payload'];

function readImages(world: World, { token: single, url, photos }: ImagePayload): Attachment[] {
  const given = [single, url, photos].filter((each) => each !== undefined && each !== null);
  const tokens = single ? [single] : Object.values(photos ?? {}).map((photo) => photo.token);
  if (given.length === 0 || (!url && tokens.length === 0)) {
    throw invalid('No `photos`, `url` or `token` provided. Check payload.');
  }
  // The words are assumed.
  if (given.length > 1) throw invalid('Only one of `photos`, `url` and `token` is allowed');
  return url ? [externalImage(world, url)] : tokens.map((each) => uploaded(world, 'image', each));
}

/** MAX fetches the address itself. The sandbox calls nobody, so every picture counts as valid. */
function externalImage(world: World, url: string): Attachment {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw invalid('url: must be an http(s) URL');
  const number = randomInt(1_000_000_000, 9_999_999_999);
  const payload = {
    photo_id: number,
    token: `url-${number}`,
    url: `${world.baseUrl}/files/${number}`,
  };
  return { json: { payload, type: 'image' }, media: { type: 'image', url } };
}

function uploaded(world: World, type: UploadType, name: string): Attachment {
  const upload = world.uploads.get(name);
  // Nobody knows what MAX answers to a token that it never gave out.
  if (upload === undefined || upload.token !== name || upload.type !== type) {
    throw invalid('Invalid token. Check payload.');
  }
  if (upload.file === undefined) throw notReady();
  if (upload.notReady > 0) {
    upload.notReady -= 1;
    throw notReady();
  }
  if (type === 'video' && !looksLikeVideo(upload.file.head)) throw unsupportedVideo();
  return { json: uploadJson(world, upload), media: mediaView(upload) };
}

function uploadJson(world: World, { type, token: name, number, file, ...upload }: Upload): Json {
  const url = fileUrl(world, upload);
  const forms: Readonly<Record<UploadType, Json>> = {
    image: { payload: { photo_id: number, token: name, url }, type },
    video: {
      payload: { id: number, token: name, url },
      thumbnail: { url: `${url}/thumbnail` },
      width: 1280,
      height: 720,
      duration: 1,
      type,
    },
    audio: { payload: { token: name, url }, type },
    file: {
      payload: { fileId: number, token: name, url },
      filename: file?.filename,
      size: file?.size,
      type,
    },
  };
  return forms[type];
}
