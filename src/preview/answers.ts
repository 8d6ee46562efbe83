// A preview as JSON. The schema is the documentation (openapi.json), and its type is what the document must have.

import { z } from 'zod';
import type { ChannelPreview, PostPreview, Preview } from './preview.ts';
import type { PreviewAttachment, PreviewMessage } from './shown-parts.ts';
import type { Violation } from './violations.ts';

const time = z.string().meta({ format: 'date-time' });

const Violated = z.strictObject({
  message: z.string(),
  path: z.string().nullable().meta({ description: 'The part of the post: media[2].' }),
  in: z
    .enum(['post', 'rendered_text', 'shown_text'])
    .nullable()
    .meta({ description: 'Which text the place is in; post: the text at `path`, as handed in.' }),
  offset: z.number().nullable().meta({ description: 'In characters, from 0.' }),
  line: z.number().nullable().meta({ description: 'From 1.' }),
  column: z.number().nullable().meta({ description: 'In characters, from 1.' }),
  excerpt: z.string().nullable(),
  mark: z.string().nullable().meta({ description: 'To stand under the excerpt: blanks and a ^.' }),
});

const Message = z.strictObject({
  text: z.string().meta({ description: 'As read, without markup.' }),
  html: z.string().meta({ description: 'The same with its formatting, as safe HTML.' }),
  attachments: z.array(
    z.strictObject({
      kind: z.string().meta({ description: 'The platform’s word for it.' }),
      path: z.string().meta({ description: 'Its place in the post: media[2].' }),
      label: z.string(),
      url: z.string().optional(),
      is_link: z.boolean().meta({ description: 'A link that was not fetched.' }),
    }),
  ),
  buttons: z.array(
    z.array(
      z.strictObject({
        text: z.string(),
        url: z.string().optional(),
        payload: z.string().optional(),
      }),
    ),
  ),
});

const Post = z.strictObject({
  rendered_text: z.string().meta({ description: 'With its markup, as it would be sent.' }),
  format: z.string().nullable(),
  template_version: z.string().nullable(),
  length: z.number().nullable().meta({ description: 'As the platform counts the text.' }),
  length_max: z.number().meta({ description: 'Of a text, or of a caption where it is one.' }),
  length_unit: z.enum(['code_points', 'utf16']),
  counts_markup: z.boolean(),
  left_out: z
    .strictObject({ media: z.number().optional(), text: z.literal(true).optional() })
    .nullable()
    .meta({ description: 'What settings of the channel leave out.' }),
  violations: z.array(Violated),
  parts: z.array(
    z.strictObject({ kind: z.enum(['text', 'media', 'album']), messages: z.array(Message) }),
  ),
});

const Channel = z.strictObject({
  channel_id: z.string(),
  platform: z.string(),
  title: z.string().nullable(),
  target_id: z.string(),
  verdict: z.enum(['queued', 'deduped', 'validation_failed', 'not_routed']),
  rule: z.enum(['disabled', 'include_any', 'include_all', 'exclude', 'text_only']).nullable(),
  tags: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Those by which the rule keeps the post out.' }),
  because: z.enum(['sent', 'inflight', 'similar']).nullable(),
  repeats: z.string().nullable().meta({ description: 'The delivery that it would repeat.' }),
  until: time.nullable().meta({ description: 'Until when it would be a repeat.' }),
  score: z.number().nullable().meta({ description: 'How nearly it is the same, up to 1.' }),
  signs: z.array(z.string()).nullable(),
  not_before: time.nullable(),
  next: z
    .strictObject({
      because: z.string(),
      at: time.nullable(),
      reason: z.string().optional(),
      ahead: z.number().optional(),
    })
    .nullable()
    .meta({ description: 'What it would wait for, and when it could go out at the earliest.' }),
  post: Post.nullable().meta({ description: 'As the channel would get it; null: it would not.' }),
});

export const PreviewAnswer = z
  .discriminatedUnion('verdict', [
    z.strictObject({
      verdict: z.enum(['accepted', 'dedup_dropped']),
      received_at: time
        .nullable()
        .meta({ description: 'With dedup_dropped: when the endpoint took the same post.' }),
      message_id: z.string().nullable().meta({ description: 'Of the same content.' }),
      seen: z.enum(['first', 'before']),
      tags: z.array(z.string()),
      notes: z.array(z.string()),
      channels: z.array(Channel),
    }),
    z.strictObject({ verdict: z.literal('rejected'), violations: z.array(Violated) }),
  ])
  .meta({ description: 'What would become of the post. Nothing was written.' });

export type PreviewDocument = z.input<typeof PreviewAnswer>;

export function asDocument(preview: Preview): PreviewDocument {
  if (preview.verdict === 'rejected') {
    return { verdict: preview.verdict, violations: preview.violations.map(violated) };
  }
  return {
    verdict: preview.verdict,
    received_at: preview.receivedAt,
    message_id: preview.messageId,
    seen: preview.seen,
    tags: [...preview.tags],
    notes: [...preview.notes],
    channels: preview.channels.map(channelOf),
  };
}

function channelOf(channel: ChannelPreview): z.input<typeof Channel> {
  const { next } = channel;
  return {
    channel_id: channel.channelId,
    platform: channel.platform,
    title: channel.title,
    target_id: channel.targetId,
    verdict: channel.verdict,
    rule: channel.rule,
    tags: channel.tags,
    because: channel.because,
    repeats: channel.repeats,
    until: channel.until,
    score: channel.score,
    signs: channel.signs,
    not_before: channel.notBefore,
    next: next === null ? null : { ...next, at: next.at?.toISOString() ?? null },
    post: channel.post === null ? null : postOf(channel.post),
  };
}

function postOf(post: PostPreview): z.input<typeof Post> {
  return {
    rendered_text: post.renderedText,
    format: post.format,
    template_version: post.templateVersion,
    length: post.length,
    length_max: post.lengthMax,
    length_unit: post.lengthUnit,
    counts_markup: post.countsMarkup,
    left_out: post.leftOut,
    violations: post.violations.map(violated),
    parts: post.parts.map(({ kind, messages }) => ({ kind, messages: messages.map(messageOf) })),
  };
}

function messageOf(message: PreviewMessage): z.input<typeof Message> {
  const { text, html, attachments, buttons } = message;
  return {
    text,
    html,
    attachments: attachments.map(attachmentOf),
    buttons: buttons.map((row) => row.map((button) => ({ ...button }))),
  };
}

function attachmentOf({ kind, path, label, url, isLink }: PreviewAttachment) {
  return { kind, path, label, ...(url === undefined ? {} : { url }), is_link: isLink };
}

function violated({ message, path, in: where, place }: Violation): z.input<typeof Violated> {
  return {
    message,
    path,
    in: where,
    offset: place?.offset ?? null,
    line: place?.line ?? null,
    column: place?.column ?? null,
    excerpt: place?.excerpt ?? null,
    mark: place === null ? null : `${' '.repeat(place.excerptOffset)}^`,
  };
}
