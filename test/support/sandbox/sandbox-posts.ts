// Posts to the channels of sandbox-channels.ts, and what became of them.

import { z } from 'zod';
import type { Sandbox } from '../../../sandbox/start.ts';
import { enqueueMessagesAndDeliveries } from '../../../src/db/intake.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import type { Platform } from './three-platforms.ts';

/** Posts a text to every channel of the workspace. */
export async function post(client: Queryable, workspaceId: string, text: string): Promise<void> {
  const request = { workspaceId, endpointId: null, kind: 'push', rawPayload: { text } } as const;
  await enqueueMessagesAndDeliveries(client, request);
}

/** How many deliveries are in each state. */
export async function statusesOf(
  admin: Queryable,
  workspaceId: string,
): Promise<Record<string, number>> {
  const rows = await queryRows(
    admin,
    z.object({ status: z.string(), count: z.number() }),
    'select status::text, count(*)::int from outrider.deliveries where workspace_id = $1 group by 1',
    [workspaceId],
  );
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}

/** Takes the limits off all platforms. */
export function liftLimits({ telegram, max, vk }: Pick<Sandbox, Platform>): void {
  telegram.simulator.control('limits', { chat: null, group: null, bot: null });
  max.simulator.control('limits', { messages_per_second: 1e6, requests_per_second: 1e6 });
  vk.simulator.control('limits', { user_rps: null, posts_per_day: null, wall_get_per_day: null });
}
