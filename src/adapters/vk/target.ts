// The wall that a channel names, and in whose name posts appear there.

import { z } from 'zod';
import type { SendChannel, SendError } from '../adapter.ts';
import { sendError } from '../answer.ts';
import { refusedSettings } from '../settings.ts';

export interface Target {
  /** Negative for a community, positive for a person. */
  readonly ownerId: number;
  readonly fromGroup: boolean;
  /** The owner of photos for this wall. Here the id of a community is positive. */
  readonly photoOwner: { readonly group_id?: number; readonly user_id?: number };
  /** What to do when nobody can tell whether an earlier attempt arrived. */
  readonly onUnknown: (typeof onUnknown)[number];
}

export const onUnknown = ['retry', 'look', 'hold'] as const;

/** The settings of a channel besides `on_unknown`. */
export const settings = {
  from_group: z.boolean().describe('VK: post in the name of the community.'),
};

const Settings = z.object({
  from_group: settings.from_group.default(true),
  on_unknown: z.enum(onUnknown).default('retry'),
});

export function readTarget({ targetId, settings: given }: SendChannel): Target | SendError {
  const ownerId = /^-?[1-9]\d{0,14}$/.test(targetId) ? Number(targetId) : undefined;
  if (ownerId === undefined) {
    return sendError(
      'chat_not_found',
      `target_id "${targetId}" is not the owner of a wall: it must be a number, negative for a community`,
    );
  }
  const read = Settings.safeParse(given);
  if (!read.success) return refusedSettings('VK', read.error);
  const isCommunity = ownerId < 0;
  return {
    ownerId,
    fromGroup: isCommunity && read.data.from_group,
    photoOwner: isCommunity ? { group_id: -ownerId } : { user_id: ownerId },
    onUnknown: read.data.on_unknown,
  };
}
