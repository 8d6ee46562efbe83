// Measures what a post and a delivery leave behind: bytes in tables and indexes, and in the log (WAL). The figures go
// into src/cli/capacity/figures.ts.

import { z } from 'zod';
import { applyWorkspace } from '../src/db/apply.ts';
import { claimDeliveries } from '../src/db/claim.ts';
import { commitOutcomes } from '../src/db/commit.ts';
import { ensureEventPartitions } from '../src/db/events.ts';
import { enqueueMessagesAndDeliveries } from '../src/db/intake.ts';
import { queryRow, queryRows } from '../src/db/query-rows.ts';
import { withMigratedDatabase } from './migrated-database.ts';

const posts = 1000;
const channels = 40;
const textLength = 500;
const workspaceId = 'storage';

// No checkpoint happens while it measures.
const settings = { max_wal_size: '8GB', checkpoint_timeout: '30min' };

await withMigratedDatabase(async (client) => {
  await ensureEventPartitions(client, 2);
  await applyWorkspace(client, { document: configuration(), prune: false, dryRun: false });

  const empty = await sizes();
  const intakeLog = await logOf(async () => {
    for (let n = 0; n < posts; n += 1) await takeIn(n);
  });
  const sendingLog = await logOf(async () => {
    while ((await sendSome()) > 0);
  });
  await client.query('vacuum analyze');
  const full = await sizes();

  console.log(`${posts} posts of ${textLength} characters to ${channels} channels each, all sent`);
  for (const [table, bytes] of full) {
    const grown = bytes - (empty.get(table) ?? 0);
    if (grown < 100 * posts) continue; // the first page of a small table
    console.log(
      `${table.padEnd(24)}${per(grown, posts)} B/post  ${per(grown, deliveries())} B/delivery`,
    );
  }
  console.log(`${'log of intake'.padEnd(24)}${per(intakeLog, posts)} B/post`);
  console.log(
    `${'log of sending'.padEnd(24)}${''.padStart(15)} ${per(sendingLog, deliveries())} B/delivery`,
  );

  /** With indexes and TOAST tables; partitions count for their table. */
  async function sizes(): Promise<Map<string, number>> {
    const rows = await queryRows(
      client,
      z.object({ name: z.string(), bytes: z.coerce.number() }),
      `select r.relname as name, sum(pg_total_relation_size(c.oid))::text as bytes
       from pg_class c
       join pg_class r on r.oid = coalesce(pg_partition_root(c.oid), c.oid)
       where c.relnamespace = 'outrider'::regnamespace and c.relkind = 'r'
       group by 1 order by 1`,
    );
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  }

  async function logOf(work: () => Promise<void>): Promise<number> {
    await client.query('checkpoint');
    const before = await logEnd();
    await work();
    return (await logEnd()) - before;
  }

  async function logEnd(): Promise<number> {
    const { bytes } = await queryRow(
      client,
      z.object({ bytes: z.coerce.number() }),
      "select (pg_current_wal_insert_lsn() - '0/0')::text as bytes",
    );
    return bytes;
  }

  async function takeIn(n: number): Promise<void> {
    const text = `${n} ${'Lost near the river, answers to Bim. '.repeat(20)}`.slice(0, textLength);
    await enqueueMessagesAndDeliveries(client, {
      workspaceId,
      endpointId: null,
      kind: 'push',
      rawPayload: { text, source_ref: `post-${n}` },
    });
  }

  async function sendSome(): Promise<number> {
    const claimed = await claimDeliveries(client, { workspaceId, runId: 'storage', limit: 500 });
    if (claimed.length === 0) return 0;
    const outcomes = claimed.map(({ deliveryId, claimToken }, n) => ({
      ok: true as const,
      deliveryId,
      claimToken,
      providerMessageId: String(n),
    }));
    await commitOutcomes(client, workspaceId, outcomes);
    return claimed.length;
  }
}, settings);

function deliveries(): number {
  return posts * channels;
}

function per(bytes: number, count: number): string {
  return (bytes / count).toFixed(0).padStart(8);
}

function configuration() {
  const ids = Array.from({ length: channels }, (_, n) => `tg-${n}`);
  return {
    workspace: workspaceId,
    settings: { claim_per_channel: 10_000 },
    credentials: { bot: { platform: 'telegram', secret_ref: 'env:NOBODY' } },
    rate_groups: { telegram: { bot: { rate_rps: 0 } } },
    channels: Object.fromEntries(
      ids.map((id) => [
        id,
        { platform: 'telegram', target_id: id, auth_ref: 'bot', rate_rps: 0, max_parallel: 10_000 },
      ]),
    ),
  };
}
