// What the HTTP interface answers with. The schemas are the documentation (openapi.json), and their types are what
// handlers must return.

import { z } from 'zod';
import type { ChannelVerdict, Enqueued } from '../db/intake.ts';
import type { Answer } from '../http/answer.ts';

const id = z.string();
const time = z.string().meta({ format: 'date-time' });

const Channel = z.discriminatedUnion('verdict', [
  z.strictObject({
    channel_id: id,
    verdict: z.literal('queued'),
    delivery_id: id,
    not_before: time,
  }),
  z.strictObject({
    channel_id: id,
    verdict: z.literal('deduped'),
    because: z.enum(['sent', 'inflight', 'similar']),
    delivery_id: id.meta({
      description: 'The other delivery: of the same message, or of one that is nearly the same.',
    }),
    until: time
      .nullable()
      .meta({ description: 'When it may go there again; null while inflight.' }),
    score: z
      .number()
      .optional()
      .meta({ description: 'With similar: how nearly it is the same, up to 1.' }),
    suppressed_id: id
      .optional()
      .meta({ description: 'With similar: the delivery that was suppressed, for a requeue.' }),
  }),
  z.strictObject({
    channel_id: id,
    verdict: z.literal('validation_failed'),
    delivery_id: id,
    reason: z.string(),
  }),
  z.strictObject({
    channel_id: id,
    verdict: z.literal('not_routed'),
    rule: z.enum(['disabled', 'include_any', 'include_all', 'exclude', 'text_only']),
  }),
]);

export const Accepted = z
  .strictObject({
    verdict: z.literal('accepted'),
    run_id: id,
    message_id: id,
    trace_id: z.string(),
    seen: z.enum(['first', 'before']).meta({ description: 'Whether this content is new.' }),
    channels: z.array(Channel),
  })
  .meta({ description: 'The post is kept; what becomes of it in each channel.' });

export const Repeated = z
  .strictObject({ verdict: z.literal('dedup_dropped'), run_id: id, received_at: time })
  .meta({ description: 'The endpoint has taken this request before, at `received_at`.' });

export const Uploaded = z
  .strictObject({
    blob_ref: z.string().meta({ description: 'For `media[].blob_ref` of a post.' }),
    content_type: z.string().meta({ description: 'As the first bytes show.' }),
    size_bytes: z.number(),
  })
  .meta({ description: 'The file is kept.' });

export const Heard = z
  .strictObject({
    verdict: z.enum(['taken', 'repeated', 'ignored']),
    note: z.string().optional().meta({ description: 'Why it is ignored.' }),
  })
  .meta({ description: 'The update is recorded, or there is nothing to do about it.' });

export const Welcome = z.strictObject({ name: z.literal('outrider'), openapi: z.string() });

/** What became of a post, in the words of the schema. Wakes the listener if some deliveries were not claimed. */
export function enqueuedAnswer(
  listener: { wake(workspaceId: string): void },
  workspaceId: string,
  enqueued: Enqueued,
  claimed = 0,
): Answer {
  const { verdict, runId: run_id } = enqueued;
  const facts = { workspace_id: workspaceId, verdict, run_id };
  if (verdict === 'dedup_dropped') {
    const body: z.input<typeof Repeated> = { verdict, run_id, received_at: enqueued.receivedAt };
    return { status: 200, body, facts };
  }
  const { messageId: message_id, traceId: trace_id, seen } = enqueued;
  const channels = enqueued.channels.map(asJson);
  const queued = channels.filter((channel) => channel.verdict === 'queued').length;
  if (queued > claimed) listener.wake(workspaceId);
  const body: z.input<typeof Accepted> = { verdict, run_id, message_id, trace_id, seen, channels };
  return { status: 202, body, facts: { ...facts, trace_id } };
}

function asJson(given: ChannelVerdict): z.input<typeof Channel> {
  const channel_id = given.channelId;
  if (given.verdict === 'not_routed') {
    const { verdict, rule } = given;
    return { channel_id, verdict, rule };
  }
  const delivery_id = given.deliveryId;
  if (given.verdict === 'queued') {
    const { verdict, notBefore: not_before } = given;
    return { channel_id, verdict, delivery_id, not_before };
  }
  if (given.verdict === 'deduped') {
    const { verdict, because, until, score, suppressedId: suppressed_id } = given;
    const similar = because === 'similar' ? { score, suppressed_id } : {};
    return { channel_id, verdict, because, delivery_id, until, ...similar };
  }
  const { verdict, reason } = given;
  return { channel_id, verdict, delivery_id, reason };
}
