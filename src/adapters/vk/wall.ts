// The wall that a channel names, and how posts on it are made.

import { z } from 'zod';
import type { SendChannel, SendError } from '../adapter.ts';
import { sendError } from '../answer.ts';

export interface Wall {
  /** Communities are negative, people positive. */
  readonly ownerId: number;
  readonly fromGroup: boolean;
  /** Of the photos for this wall; here a community is positive. */
  readonly photoOwner: { readonly group_id?: number; readonly user_id?: number };
  /** When nobody can tell whether an earlier attempt arrived. */
  readonly onUnknown: 'retry' | 'look' | 'hold';
}

const Settings = z.object({
  from_group: z.boolean().default(true),
  on_unknown: z.enum(['retry', 'look', 'hold']).default('retry'),
});

export function readWall({ targetId, settings }: SendChannel): Wall | SendError {
  const ownerId = /^-?[1-9]\d{0,14}$/.test(targetId) ? Number(targetId) : undefined;
  if (ownerId === undefined) {
    return sendError(
      'chat_not_found',
      `target_id "${targetId}" is no owner of a wall: a number is needed, negative for a community`,
    );
  }
  const read = Settings.safeParse(settings);
  if (!read.success) {
    const names = read.error.issues.map((issue) => issue.path.join('.')).join(', ');
    return sendError('settings', `settings of the channel that VK cannot take: ${names}`);
  }
  const isCommunity = ownerId < 0;
  return {
    ownerId,
    fromGroup: isCommunity && read.data.from_group,
    photoOwner: isCommunity ? { group_id: -ownerId } : { user_id: ownerId },
    onUnknown: read.data.on_unknown,
  };
}
