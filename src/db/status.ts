// What the status page shows and no other area has: what is wrong, how it was over time, what comes next, who is at work.

import { z } from 'zod';
import { at, callForValue, callFunction } from './call.ts';
import { int8, time, timeInJson, workspaceRow } from './columns.ts';
import type { Queryable } from './pool.ts';

/** Takes samples of workspaces that are due; answers with those. */
export async function takeSamples(
  client: Queryable,
  limit: number,
  now?: string,
): Promise<string[]> {
  return callFunction(client, { name: 'take_samples', args: at(now, [limit]), row: workspaceRow });
}

const severity = z.enum(['info', 'warning', 'critical']);

const Wrong = z
  .object({
    kind: z.string(),
    subject: z.string().nullable(),
    severity,
    summary: z.string(),
    advice: z.string().nullable(),
    since: time.nullable(),
    acknowledged_by: z.string().nullable(),
    silenced_until: time.nullable(),
  })
  .transform(({ acknowledged_by: acknowledgedBy, silenced_until: silencedUntil, ...row }) => ({
    ...row,
    acknowledgedBy,
    silencedUntil,
  }));

/** Something that is wrong. `advice` is a command; `since` is when its alert opened. */
export type Wrong = z.output<typeof Wrong>;

/** Everything that is wrong in a workspace and wants a person, the worst first. */
export async function whatIsWrong(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<Wrong[]> {
  return callFunction(client, {
    name: 'what_is_wrong',
    args: at(now, [workspaceId]),
    row: Wrong,
  });
}

const count = z.number();

const QueueSample = z.object({
  at: time,
  due: count,
  scheduled: count,
  retrying: count,
  claimed: count,
  sending: count,
});

/** How full the queue was at a moment. */
export type QueueSample = z.output<typeof QueueSample>;

interface Past {
  readonly workspaceId: string;
  /** How far back, as PostgreSQL writes an interval. */
  readonly span: string;
}

/** How full the queue was, the oldest moment first. */
export async function queueHistory(
  client: Queryable,
  past: Past,
  now?: string,
): Promise<QueueSample[]> {
  return callFunction(client, {
    name: 'queue_history',
    args: at(now, [past.workspaceId, past.span]),
    row: QueueSample,
  });
}

const ChannelHistory = z
  .object({
    channel_id: z.string(),
    sent: z.array(count),
    retried: z.array(count),
    failed: z.array(count),
  })
  .transform(({ channel_id: channelId, ...row }) => ({ channelId, ...row }));

/** What became of a channel's deliveries, in equal parts of a span, the oldest first. */
export type ChannelHistory = z.output<typeof ChannelHistory>;

/** Only of channels in which something happened. */
export async function channelHistory(
  client: Queryable,
  past: Past & { readonly bars: number },
  now?: string,
): Promise<ChannelHistory[]> {
  return callFunction(client, {
    name: 'channel_history',
    args: at(now, [past.workspaceId, past.span, past.bars]),
    row: ChannelHistory,
  });
}

const NextSlot = z
  .object({ channel_id: z.string(), delivery_id: z.string(), at: time })
  .transform((row) => ({ channelId: row.channel_id, deliveryId: row.delivery_id, at: row.at }));

export type NextSlot = z.output<typeof NextSlot>;

/** When the channels of a workspace send next, the soonest first. */
export async function nextSlots(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<NextSlot[]> {
  return callFunction(client, { name: 'next_slots', args: at(now, [workspaceId]), row: NextSlot });
}

const Failure = z
  .object({
    delivery_id: z.string(),
    channel_id: z.string(),
    status: z.enum(['failed_permanent', 'dead']),
    failed_at: time,
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    excerpt: z.string(),
  })
  .transform((row) => ({
    deliveryId: row.delivery_id,
    channelId: row.channel_id,
    status: row.status,
    failedAt: row.failed_at,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    excerpt: row.excerpt,
  }));

export type Failure = z.output<typeof Failure>;

/** The deliveries that failed last, the latest first. */
export async function latestFailures(
  client: Queryable,
  asked: { readonly workspaceId: string; readonly limit: number },
  now?: string,
): Promise<Failure[]> {
  return callFunction(client, {
    name: 'latest_failures',
    args: at(now, [asked.workspaceId, asked.limit]),
    row: Failure,
  });
}

const PostExcerpt = z.object({ message_id: z.string(), excerpt: z.string() });

/** The beginnings of posts, masked, by the ids of their messages. */
export async function postExcerpts(
  client: Queryable,
  asked: { readonly workspaceId: string; readonly messageIds: readonly string[] },
  now?: string,
): Promise<ReadonlyMap<string, string>> {
  if (asked.messageIds.length === 0) return new Map();
  const rows = await callFunction(client, {
    name: 'post_excerpts',
    args: at(now, [asked.workspaceId, asked.messageIds]),
    row: PostExcerpt,
  });
  return new Map(rows.map((row) => [row.message_id, row.excerpt]));
}

const ListedService = z
  .object({
    service_id: z.string(),
    host: z.string(),
    pid: int8,
    version: z.string(),
    roles: z.array(z.string()),
    state: z.enum(['ready', 'not_ready', 'silent']),
    started_at: time,
    seen_at: time,
    store_refuses: z.string().nullable(),
  })
  .transform((row) => ({
    serviceId: row.service_id,
    host: row.host,
    pid: row.pid,
    version: row.version,
    roles: row.roles,
    state: row.state,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    storeRefuses: row.store_refuses,
  }));

/** A process that runs roles. */
export type ListedService = z.output<typeof ListedService>;

export async function listServices(client: Queryable, now?: string): Promise<ListedService[]> {
  return callFunction(client, { name: 'list_services', args: at(now, []), row: ListedService });
}

const BotStatus = z.object({
  endpoints: count,
  last_message_at: timeInJson.nullable(),
  waiting_turns: count,
  waiting_replies: count,
  oldest_reply_at: timeInJson.nullable(),
  waiting_for_a_person: count,
  oldest_handover_at: timeInJson.nullable(),
  messages_last_hour: count,
  missed_last_hour: count,
  failed_last_day: count,
});

/** With the schema's names. */
export type BotStatus = z.output<typeof BotStatus>;

export async function botStatus(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<BotStatus> {
  return callForValue(client, { name: 'bot_status', args: at(now, [workspaceId]), row: BotStatus });
}
