// The answer of preview_post, with the schema's names turned into TypeScript's.

import { z } from 'zod';
import { exactTime } from './columns.ts';
import { NextStep } from './delivery-rows.ts';

const object = z.record(z.string(), z.unknown());

const PreviewedChannel = z
  .object({
    channel_id: z.string(),
    platform: z.string(),
    title: z.string().nullable(),
    target_id: z.string(),
    verdict: z.enum(['queued', 'deduped', 'validation_failed', 'not_routed']),
    profile: z.number().nullable(),
    rule: z.enum(['disabled', 'include_any', 'include_all', 'exclude', 'text_only']).optional(),
    tags: z.array(z.string()).nullable(),
    because: z.enum(['sent', 'inflight', 'similar']).optional(),
    delivery_id: z.string().nullish(),
    until: exactTime.nullish(),
    score: z.number().optional(),
    signs: z.array(z.string()).nullable(),
    reason: z.string().nullish(),
    not_before: exactTime.optional(),
    next: NextStep.nullable(),
  })
  .transform((row) => ({
    channelId: row.channel_id,
    platform: row.platform,
    title: row.title,
    targetId: row.target_id,
    verdict: row.verdict,
    /** The place of its composed post in `posts`; null where the post is not routed. */
    profile: row.profile,
    rule: row.rule ?? null,
    /** Those by which the rule keeps the post out. */
    tags: row.tags,
    because: row.because ?? null,
    /** The delivery that it would repeat. */
    repeats: row.verdict === 'deduped' ? (row.delivery_id ?? null) : null,
    until: row.until ?? null,
    score: row.score ?? null,
    signs: row.signs,
    reason: row.reason ?? null,
    notBefore: row.not_before ?? null,
    next: row.next,
  }));

export type PreviewedChannel = z.output<typeof PreviewedChannel>;

const ComposedPost = z
  .object({
    rendered_text: z.string(),
    render_meta: object,
    template_version: z.string().nullable(),
    fault: z.string().nullable(),
    fault_at: z.number().nullable(),
    counted_text: z.string().nullable(),
    length: z.number().nullable(),
    length_max: z.number(),
    length_unit: z.enum(['code_points', 'utf16']),
    counts_markup: z.boolean(),
    bytes_max: z.number().nullable(),
    caption_max: z.number().nullable(),
  })
  .transform((row) => ({
    renderedText: row.rendered_text,
    renderMeta: row.render_meta,
    templateVersion: row.template_version,
    fault: row.fault,
    /** In bytes of the rendered text. */
    faultAt: row.fault_at,
    countedText: row.counted_text,
    length: row.length,
    lengthMax: row.length_max,
    lengthUnit: row.length_unit,
    countsMarkup: row.counts_markup,
    bytesMax: row.bytes_max,
    /** Of the caption of one medium. */
    captionMax: row.caption_max,
  }));

export type ComposedPost = z.output<typeof ComposedPost>;

export const Previewed = z.discriminatedUnion('verdict', [
  z.object({ verdict: z.literal('rejected'), reason: z.string() }),
  z
    .object({
      verdict: z.enum(['accepted', 'dedup_dropped']),
      received_at: exactTime.nullable(),
      message_id: z.string().nullable(),
      seen: z.enum(['first', 'before']),
      tags: z.array(z.string()),
      payload: object,
      media: z.record(z.string(), object).nullable(),
      channels: z.array(PreviewedChannel),
      posts: z.array(ComposedPost.nullable()),
    })
    .transform((row) => ({
      verdict: row.verdict,
      /** When the endpoint took the same post. */
      receivedAt: row.received_at,
      messageId: row.message_id,
      seen: row.seen,
      tags: row.tags,
      /** As it would be kept. A medium that would be copied first has `is_copied`. */
      payload: row.payload,
      /** What the origin store has of its media, by blob_ref. */
      media: row.media,
      channels: row.channels,
      posts: row.posts,
    })),
]);

export type Previewed = z.output<typeof Previewed>;
