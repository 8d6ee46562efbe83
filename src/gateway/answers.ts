// What the gateway answers with, for the documentation (openapi.json). Each is what a function of the database takes.

import { z } from 'zod';

const id = z.string();

const SendError = z.strictObject({
  category: z.enum(['TRANSIENT', 'PERMANENT']),
  scope: z.enum(['delivery', 'channel', 'platform']),
  code: z.string(),
  outcome: z.enum(['refused', 'not_sent', 'unknown']),
  cause: z.enum(['pace', 'credential', 'outage', 'not_ready', 'sender']).optional(),
  retry_after_ms: z.number().optional(),
  message: z.string(),
  remedy: z.string().optional(),
  raw: z.unknown().optional(),
});

const Part = z.strictObject({ item: z.int(), provider_message_id: id });

const held = {
  delivery_id: id,
  claim_token: id,
  parts: z.array(Part).optional().meta({ description: 'Parts that were sent.' }),
  payload_ref: id.optional().meta({ description: 'Where the raw answer of the platform is kept.' }),
};

export const Delivered = z
  .discriminatedUnion('ok', [
    z.strictObject({ ...held, ok: z.literal(true), provider_message_id: id }),
    z.strictObject({ ...held, ok: z.literal(false), error: SendError }),
  ])
  .meta({ description: 'One entry for commit_outcomes.' });

const ofReply = { reply_id: id, claim_token: id };

export const Replied = z
  .discriminatedUnion('ok', [
    z.strictObject({ ...ofReply, ok: z.literal(true), provider_message_id: id }),
    z.strictObject({ ...ofReply, ok: z.literal(false), error: SendError }),
  ])
  .meta({ description: 'One entry for commit_bot_replies.' });

export const Told = z
  .strictObject({
    workspace_id: id,
    notification_id: id,
    claim_token: id,
    error: z.string().nullable().meta({ description: 'null: it was delivered.' }),
    retry_after: z.string().nullable().meta({ description: 'An interval of PostgreSQL.' }),
    left_to_others: z.boolean(),
  })
  .meta({ description: 'The arguments of commit_notification.' });

const ofSource = { workspace_id: id, source_id: id, lease_token: id };

export const ReadChunk = z
  .discriminatedUnion('ok', [
    z
      .strictObject({
        ok: z.literal(true),
        ...ofSource,
        items: z.array(
          z.strictObject({
            item_ref: id,
            payload: z.record(z.string(), z.unknown()),
            left_out: z.array(z.strictObject({ path: z.string(), reason: z.string() })).optional(),
          }),
        ),
        cursor_to: z.record(z.string(), z.unknown()).nullable(),
        next_pull_at: z.string().nullable().meta({ format: 'date-time' }),
        held_item: id.nullable(),
        lease: z.string().meta({ description: 'An interval of PostgreSQL.' }),
        has_more: z.boolean().meta({
          description: 'Ask again when this chunk is taken in, with cursor_to as the cursor.',
        }),
      })
      .meta({ description: 'The arguments of ingest_pull_chunk.' }),
    z
      .strictObject({
        ok: z.literal(false),
        ...ofSource,
        error: z.string(),
        retry_after: z.string().nullable().meta({ description: 'An interval of PostgreSQL.' }),
      })
      .meta({ description: 'The arguments of fail_pull.' }),
  ])
  .meta({ description: 'A chunk for ingest_pull_chunk, or a failure for fail_pull.' });

export const ImportedPost = z
  .discriminatedUnion('ok', [
    z.strictObject({
      ok: z.literal(true),
      payload: z
        .record(z.string(), z.unknown())
        .meta({ description: 'The post for enqueue_copied_post.' }),
    }),
    z.strictObject({
      ok: z.literal(false),
      error: z.strictObject({
        code: z.string(),
        path: z.string().meta({ description: 'The place in the post: media[2].url.' }),
        message: z.string(),
        transient: z.boolean().meta({ description: 'Whether it may succeed later.' }),
      }),
      reason: z.string().meta({ description: 'For reject_ingress.' }),
    }),
  ])
  .meta({ description: 'The post with its media copied, or why they could not be.' });
