// Fills large tables quickly. Triggers and foreign keys are off meanwhile, so the statements must also insert what
// triggers would have inserted.

import type pg from 'pg';
import { start } from './seed.ts';

/** Runs the statements with triggers and foreign keys off. */
export async function fill(
  admin: pg.Pool,
  statements: readonly { text: string; values?: unknown[] }[],
): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('set session_replication_role = replica');
    for (const { text, values } of statements) await client.query(text, values);
    await client.query('reset session_replication_role');
  } finally {
    client.release();
  }
}

/** Removes dead rows, as autovacuum would have done by now. It leaves the statistics alone. */
export async function vacuum(admin: pg.Pool): Promise<void> {
  await admin.query(`vacuum outrider.deliveries, outrider.delivery_queue, outrider.leases,
    outrider.messages, outrider.channels, outrider.platform_limits, outrider.workspaces`);
}

export interface Bulk {
  readonly workspaceId: string;
  readonly channelIds: readonly string[];
  readonly count: number;
}

/** Deliveries that were sent long ago. */
export function sentDeliveries(bulk: Bulk): { text: string; values: unknown[] } {
  return deliveries(bulk, { status: 'sent', at: start });
}

/** Events of deliveries that are over. */
export function oldEvents(workspaceId: string, count: number): { text: string; values: unknown[] } {
  return {
    text: `insert into outrider.event_log (workspace_id, id, delivery_id, ts, action, attempt, result)
      select $1, gen_random_uuid(), gen_random_uuid(), $2, 'sent', 1, 'ok' from generate_series(1, $3)`,
    values: [workspaceId, start, count],
  };
}

/** Deliveries that wait, and their rows in the queue. They are due at once, unless a time is given. */
export function waitingDeliveries(bulk: Bulk, at = start): { text: string; values: unknown[] }[] {
  return [
    deliveries(bulk, { status: 'queued', at }),
    {
      text: `insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id)
        select workspace_id, channel_id, case when not_before > $2 then not_before else '-infinity' end,
          seq, delivery_id
        from outrider.deliveries where workspace_id = $1 and status = 'queued'`,
      values: [bulk.workspaceId, start],
    },
  ];
}

// All are deliveries of one message, as if it had been accepted again and again.
function deliveries(
  { workspaceId, channelIds, count }: Bulk,
  { status, at }: { status: 'sent' | 'queued'; at: string },
): { text: string; values: unknown[] } {
  return {
    text: `insert into outrider.deliveries
        (workspace_id, delivery_id, status, attempt, attempt_limit, not_before, created_at, updated_at,
         sent_at, provider_message_id, message_id, channel_id, occurrence, hash_version, trace_id,
         content_hash, rendered_text)
      select $1, gen_random_uuid(), $2::outrider.delivery_status, 0, 5, $3, $4::timestamptz, $4::timestamptz,
        case $2 when 'sent' then $4::timestamptz end, case $2 when 'sent' then '1' end, m.message_id,
        ($5::text[])[1 + n % cardinality($5)], 1 + n, 1, 'trace', m.content_hash, 'Lost: a ginger dog'
      from generate_series(1, $6) n
      cross join (select message_id, content_hash from outrider.messages where workspace_id = $1 limit 1) m`,
    values: [workspaceId, status, at, start, channelIds, count],
  };
}
