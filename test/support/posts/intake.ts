// Takes posts in and sends them, for tests of intake.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { claimDeliveries } from '../../../src/db/claim.ts';
import { commitOutcomes } from '../../../src/db/commit.ts';
import { type ChannelVerdict, enqueueMessagesAndDeliveries } from '../../../src/db/intake.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import { start } from '../database/seed.ts';

export interface Accepted {
  readonly runId: string;
  readonly messageId: string;
  readonly traceId: string;
  readonly seen: 'first' | 'before';
  readonly channels: readonly ChannelVerdict[];
}

/** Takes a post in without an endpoint. */
export async function take(
  client: Queryable,
  workspaceId: string,
  rawPayload: unknown,
  now: string = start,
): Promise<Accepted> {
  const request = { workspaceId, endpointId: null, kind: 'push', rawPayload } as const;
  const enqueued = await enqueueMessagesAndDeliveries(client, request, now);
  if (enqueued.verdict !== 'accepted') throw new Error('the post was dropped');
  return enqueued;
}

/** The verdicts by channel. */
export function verdicts(accepted: Accepted): Record<string, string> {
  return Object.fromEntries(accepted.channels.map((each) => [each.channelId, each.verdict]));
}

/** Sends everything of a workspace that is due. */
export async function sendAll(
  client: Queryable,
  workspaceId: string,
  now: string = start,
): Promise<void> {
  const held = await claimDeliveries(client, { workspaceId, runId: 'send', limit: 1000 }, now);
  if (held.length === 0) return;
  const outcomes = held.map(({ deliveryId, claimToken }) => ({
    deliveryId,
    claimToken,
    ok: true as const,
    providerMessageId: deliveryId,
  }));
  await commitOutcomes(client, workspaceId, outcomes, now);
}

export async function addEndpoint(
  admin: Queryable,
  workspaceId: string,
  secret: string,
  columns: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const row: Readonly<Record<string, unknown>> = {
    workspace_id: workspaceId,
    endpoint_id: 'push',
    kind: 'webhook_push',
    secret_hash: hashOf(secret),
    created_at: start,
    updated_at: start,
    ...columns,
  };
  const names = Object.keys(row);
  const slots = names.map((_, index) => `$${index + 1}`);
  await admin.query(
    `insert into outrider.workspace_endpoints (${names.join(', ')}) values (${slots.join(', ')})`,
    Object.values(row),
  );
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

const DeliveryRow = z.object({
  status: z.string(),
  channel_id: z.string(),
  attempt: z.number(),
  attempt_limit: z.number(),
  not_before: z.string(),
  scheduled_for: z.string().nullable(),
  rendered_text: z.string(),
  render_meta: z.record(z.string(), z.unknown()),
  template_version: z.string().nullable(),
  trace_id: z.string(),
  last_error: z.record(z.string(), z.unknown()).nullable(),
});

export type DeliveryRow = z.output<typeof DeliveryRow>;

/** The deliveries of a workspace, by channel and age. */
export async function deliveriesOf(admin: Queryable, workspaceId: string): Promise<DeliveryRow[]> {
  return queryRows(
    admin,
    DeliveryRow,
    `select status::text, channel_id, attempt, attempt_limit, rendered_text, render_meta,
       template_version, trace_id, last_error,
       to_char(not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as not_before,
       to_char(scheduled_for at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as scheduled_for
     from outrider.deliveries where workspace_id = $1 order by channel_id, seq`,
    [workspaceId],
  );
}
