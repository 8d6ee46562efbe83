// Changes or takes back what was posted.

import { z } from 'zod';
import type { ChangeOutcome, Edit, SentPost } from '../adapter.ts';
import { sendError } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { callTimeoutMs } from '../settings.ts';
import type { VkApi } from './api.ts';
import { readTarget, type Target } from './target.ts';
import { attachmentNames, readPost } from './wall-posts.ts';

const EditedPost = z.object({ post_id: z.int().positive() });

/** An edit removes the attachments that it does not name, so they are read first. */
export async function editPost(
  api: VkApi,
  post: SentPost,
  edit: Edit,
  signal: AbortSignal,
): Promise<ChangeOutcome> {
  const wall = readTarget(post.channel);
  if ('code' in wall) return { ok: false, error: wall };
  const caller = callerOf(post, signal);
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

function callerOf(post: SentPost, signal: AbortSignal): Caller {
  return { token: post.token, signal, timeoutMs: callTimeoutMs(post.channel) };
}

export async function removePost(
  api: VkApi,
  post: SentPost,
  signal: AbortSignal,
): Promise<ChangeOutcome> {
  const wall = readTarget(post.channel);
  if ('code' in wall) return { ok: false, error: wall };
  for (const id of post.providerMessageIds) {
    const removed = await removeOne(api, callerOf(post, signal), wall, id);
    if (!removed.ok) return removed;
  }
  return { ok: true };
}

async function removeOne(
  api: VkApi,
  caller: Caller,
  wall: Target,
  id: string,
): Promise<ChangeOutcome> {
  const parameters = { owner_id: wall.ownerId, post_id: id };
  const removed = await api.call(caller, 'wall.delete', parameters, z.literal(1));
  if (removed.ok || removed.said === 104) return { ok: true };
  if (removed.said !== 210) return removed;
  // VK may say that access is denied when the post is gone.
  const read = await readPost(api, caller, wall, id);
  return read.ok && read.value === undefined ? { ok: true } : removed;
}
