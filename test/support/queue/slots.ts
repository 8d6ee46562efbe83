// The slots that a workspace has given out, in seconds after the start.

import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import { start } from '../database/seed.ts';

/** The slots of the deliveries of a channel, in the order in which the deliveries came in. */
export async function slotsGiven(
  admin: Queryable,
  workspaceId: string,
  channelId: string,
): Promise<number[]> {
  const found = await queryRows(
    admin,
    z.object({ slot: z.number() }),
    `select extract(epoch from not_before - $3)::float8 as slot from outrider.deliveries
     where workspace_id = $1 and channel_id = $2 and status in ('claimed', 'sending') order by seq`,
    [workspaceId, channelId, start],
  );
  return found.map((row) => row.slot);
}

export type PacedTable = 'channel_pace' | 'platform_limits';

/** The next free slot of each channel or group; null where none was given. */
export async function nextSlots(
  admin: Queryable,
  workspaceId: string,
  table: PacedTable,
): Promise<(number | null)[]> {
  const found = await queryRows(
    admin,
    z.object({ next: z.number().nullable() }),
    `select extract(epoch from next_allowed_at - $2)::float8 as next
     from outrider.${table} where workspace_id = $1`,
    [workspaceId, start],
  );
  return found.map((row) => row.next);
}
