// The shape of a post, for openapi.json. The database decides what is valid (payload_fault); a test proves that this
// schema agrees with it. null counts as absent.

import { z } from 'zod';

const url = z.string().max(2048).meta({ format: 'uri', description: 'http or https' });

const mediaType = z
  .enum(['image', 'photo', 'video', 'audio', 'file', 'document', 'animation', 'gif'])
  .meta({ description: 'photo is image, document is file, gif is animation.' });

const ofEveryMedium = {
  type: mediaType,
  caption: z.string().max(4096).nullish(),
  filename: z.string().max(255).nullish(),
};

const Medium = z.union([
  z.strictObject({ ...ofEveryMedium, url, blob_ref: z.null().optional() }),
  z.strictObject({
    ...ofEveryMedium,
    blob_ref: z.string().min(1).max(256).meta({ description: 'As POST /v1/media answers.' }),
    url: z.null().optional(),
  }),
]);

const label = z.string().min(1).max(64);
const Button = z.union([
  z.strictObject({ text: label, url, payload: z.null().optional() }),
  z.strictObject({
    text: label,
    payload: z.string().min(1).max(64).meta({
      description:
        'What the bot learns when it is pressed; 64 bytes at most. Not every platform has them.',
    }),
    url: z.null().optional(),
  }),
]);

const fieldName = z.string().regex(/^(?!(?:text|title|url|links|tags)$)[a-z][a-z0-9_]{0,63}$/);
const fieldValue = z.union([z.string().max(4096), z.number(), z.boolean(), z.null()]);

const withoutControls =
  // oxlint-disable-next-line no-control-regex -- they are what it keeps out
  /^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/;

export const Post = z
  .strictObject({
    text: z.string().max(65_536).nullish(),
    parse_mode: z.enum(['HTML', 'Markdown', 'None']).nullish(),
    title: z.string().max(1000).nullish(),
    url: url.nullish(),
    links: z.array(url).max(20).nullish(),
    media: z.array(Medium).max(100).nullish(),
    buttons: z.array(z.array(Button).min(1).max(3)).max(10).nullish(),
    disable_preview: z.boolean().nullish(),
    fields: z.record(fieldName, fieldValue).nullish().meta({ description: 'For templates.' }),
    tags: z.array(z.string().min(1).max(512)).max(100).nullish(),
    source: z.record(z.string(), z.unknown()).nullish(),
    source_ref: z.string().max(512).nullish().meta({
      description: 'The sender’s own id: a second request with it is dropped. Empty: none.',
    }),
    scheduled_for: z.string().nullish().meta({ description: 'ISO 8601 with an offset.' }),
    trace_id: z.string().min(1).max(128).regex(withoutControls).nullish().meta({
      description:
        'Without control characters. Otherwise the trace of traceparent, or x-request-id.',
    }),
    workspace_id: z.unknown().optional().meta({ description: 'Ignored; the secret decides.' }),
  })
  .meta({ description: 'At least one of text, title, url, links and media is needed.' });
