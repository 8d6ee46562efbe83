// What sending changes of a channel.

import { z } from 'zod';
import { at, callForValue } from './call.ts';
import type { Queryable } from './pool.ts';

/** Follows a chat that its provider has moved; false when the new target is taken, or the channel is there. */
export async function moveChannel(
  client: Queryable,
  channel: { workspaceId: string; channelId: string; targetId: string },
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'move_channel',
    args: at(now, [channel.workspaceId, channel.channelId, channel.targetId]),
    row: z.boolean(),
  });
}
