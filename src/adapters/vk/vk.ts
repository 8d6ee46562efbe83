// VK: posts on the walls of communities and people. A post is text, photos or both in one; there is no
// markup, there are no buttons, and no switch for link previews.

import { z } from 'zod';
import type { Transport } from '../../http/transport.ts';
import type {
  Adapter,
  ChangeOutcome,
  Edit,
  SendOptions,
  SendOutcome,
  SendRequest,
  SentPost,
} from '../adapter.ts';
import { sendError } from '../answer.ts';
import { sendParts } from '../parts.ts';
import { type Caller, createVkApi, type VkApi } from './api.ts';
import { checkToken } from './check.ts';
import { sendPart } from './part.ts';
import { readWall, type Wall } from './wall.ts';
import { attachmentNames, readPost } from './wall-posts.ts';

export interface VkOptions {
  readonly transport: Transport;
  readonly baseUrl?: string | undefined;
  /** For one call. */
  readonly timeoutMs?: number | undefined;
  /** For the upload of one photo. */
  readonly uploadTimeoutMs?: number | undefined;
  readonly pauseMs?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

export function createVkAdapter(options: VkOptions): Adapter {
  const api = createVkApi({
    transport: options.transport,
    baseUrl: options.baseUrl ?? 'https://api.vk.com',
    timeoutMs: options.timeoutMs ?? 30_000,
    uploadTimeoutMs: options.uploadTimeoutMs ?? 300_000,
    pauseMs: options.pauseMs ?? 400,
    now: options.now ?? (() => new Date()),
  });
  return {
    platform: 'vk',
    send: (request, sendOptions) => send(api, request, sendOptions),
    edit: (post, edit, signal) => editPost(api, post, edit, signal),
    remove: (post, signal) => removePost(api, post, signal),
    check: (token, signal) => checkToken(api, { token, signal }),
  };
}

async function send(api: VkApi, request: SendRequest, options: SendOptions): Promise<SendOutcome> {
  const wall = readWall(request.channel);
  const { signal, holds, beforeCall } = options;
  const caller = { token: request.token, signal, holds, beforeCall };
  return sendParts(request, options, async (next) =>
    'code' in wall ? { ok: false, error: wall } : sendPart(api, caller, wall, request, next),
  );
}

const EditedPost = z.object({ post_id: z.int().positive() });

/** What is not passed again would be gone from the post: so its attachments are read first. */
async function editPost(
  api: VkApi,
  post: SentPost,
  edit: Edit,
  signal: AbortSignal,
): Promise<ChangeOutcome> {
  const wall = readWall(post.channel);
  if ('code' in wall) return { ok: false, error: wall };
  const caller = { token: post.token, signal };
  // The text is in the first part, alone or with photos.
  const [id = ''] = post.providerMessageIds;
  const read = await readPost(api, caller, wall, id);
  if (!read.ok) return read;
  if (read.value === undefined) {
    return {
      ok: false,
      error: sendError('message_not_found', 'the post is no longer on the wall'),
    };
  }
  const names = attachmentNames(read.value);
  if (names.includes(undefined)) {
    const words = 'the post has an attachment that VK would take away with an edit';
    return { ok: false, error: sendError('not_changeable', words) };
  }
  const edited = await api.call(
    caller,
    'wall.edit',
    {
      owner_id: wall.ownerId,
      post_id: id,
      message: edit.text,
      attachments: names.length === 0 ? undefined : names.join(','),
    },
    EditedPost,
  );
  return edited.ok ? { ok: true } : edited;
}

async function removePost(api: VkApi, post: SentPost, signal: AbortSignal): Promise<ChangeOutcome> {
  const wall = readWall(post.channel);
  if ('code' in wall) return { ok: false, error: wall };
  for (const id of post.providerMessageIds) {
    const removed = await removeOne(api, { token: post.token, signal }, wall, id);
    if (!removed.ok) return removed;
  }
  return { ok: true };
}

async function removeOne(
  api: VkApi,
  caller: Caller,
  wall: Wall,
  id: string,
): Promise<ChangeOutcome> {
  const parameters = { owner_id: wall.ownerId, post_id: id };
  const removed = await api.call(caller, 'wall.delete', parameters, z.literal(1));
  if (removed.ok || removed.said === 104) return { ok: true };
  if (removed.said !== 210) return removed;
  // Of a post that is gone VK may say that access to it is denied.
  const read = await readPost(api, caller, wall, id);
  return read.ok && read.value === undefined ? { ok: true } : removed;
}
