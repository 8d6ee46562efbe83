// What a configuration file may say: one document for each workspace. Its keys are the columns of the schema. Editors
// get the same from docs/outrider.schema.json.

import { z } from 'zod';
import { platforms } from '../../adapters/platforms.ts';
import { timeout } from '../../adapters/settings.ts';
import { BotRule } from './bot-rule.ts';
import { kindConditions, PullSource } from './pull-source.ts';
import { Settings } from './settings.ts';

const Id = z
  .string()
  .regex(/^[^\p{Cc}]{1,128}$/u, 'an id has 1 to 128 characters and no line ends');

const SecretRef = z
  .string()
  .regex(/^(env:[A-Za-z_]\w*(\|[A-Za-z_]\w*)*|file:.+)$/s, 'must be env:NAME or file:PATH')
  .describe(
    'Where the secret is: env:NAME or file:PATH; of env:NAME|OTHER the first that is set. The secret itself is never in the file.',
  );

const Platform = z.string().meta({
  description: 'The platform, as the database knows it.',
  examples: platforms.map(({ name }) => name),
});

const rate = z.number().min(0).nullable();
const tags = z.array(z.string());
const enabled = z.boolean().describe('Default: true.');

/** An endpoint as the file has it, with a reference in place of the hash. */
const Endpoint = z
  .strictObject({
    kind: z.enum(['webhook_push', 'bot_webhook']),
    secret_ref: SecretRef.describe('The secret that callers present; only its hash is kept.'),
    secret_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in 64 lower-case hex digits')
      .describe('Instead of secret_ref: the SHA-256 of the secret.'),
    signing_secret_ref: SecretRef.nullable().describe(
      'The secret of Standard Webhooks signatures; without it posts need no signature.',
    ),
    enabled,
    ingress_rps: z.number().positive().describe('Requests a second. Default: 5.'),
    max_payload_bytes: z.int().positive().describe('Default: 262144.'),
    hash_drop_window_sec: z
      .int()
      .min(0)
      .describe('The same body again within this many seconds is dropped. Default: 10.'),
    auth_ref: Id.nullable().describe('bot_webhook: the credential that the bot answers with.'),
    meta: z.record(z.string(), z.unknown()).describe('Anything; for people.'),
  })
  .partial()
  .refine((endpoint) => endpoint.secret_ref === undefined || endpoint.secret_hash === undefined, {
    error: 'has both secret_ref and secret_hash; give one of them',
    path: ['secret_hash'],
  });

const Credential = z.strictObject({ platform: Platform, secret_ref: SecretRef }).partial();

const RateGroup = z
  .strictObject({
    rate_rps: rate.describe(
      'Calls a second, or messages where the platform counts those, for all channels of the group; null or 0: no limit. Default: that of the platform.',
    ),
  })
  .partial();

const Template = z
  .strictObject({
    body: z.string().describe('{{name}}, {{#name}}…{{/name}}, {{^name}}…{{/name}}.'),
    defaults: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe('Values of names that a post does not bring.'),
  })
  .partial();

const uploadPolicy = z.enum(['upload_required', 'url_allowed']).optional();

const MediaUpload = z
  .strictObject({
    image: uploadPolicy,
    video: uploadPolicy,
    audio: uploadPolicy,
    file: uploadPolicy,
    other: uploadPolicy,
  })
  .describe(
    'Whether media must be in the origin store, or a link is enough for the platform. Default: as the platform has it.',
  );

const Similar = z
  .strictObject({
    within_hours: z.int().min(1).max(720).describe('How far to look back. Default: 72.'),
    score: z.number().min(0.5).max(1).describe('How nearly the same is enough. Default: 0.8.'),
    pictures: z.boolean().describe('Compare pictures, too; needs the package sharp.'),
    same: z.array(z.string()).describe('Fields in which two such posts must not differ.'),
  })
  .partial();

const ChannelSettings = z
  .strictObject({
    parse_mode: z
      .enum(['HTML', 'Markdown', 'MarkdownV2', 'None'])
      .transform((mode) => (mode === 'MarkdownV2' ? 'Markdown' : mode))
      .describe('MarkdownV2, as Telegram names its dialect, is Markdown.'),
    on_format_error: z.enum(['fail', 'plain']),
    disable_preview: z.boolean(),
    media_upload: MediaUpload,
    values: z.record(z.string(), z.unknown()).describe('Values for templates.'),
    on_unknown: z
      .enum([...new Set(platforms.flatMap(({ onUnknown }) => onUnknown))])
      .describe('When nobody knows whether a post arrived.'),
    text_max: z
      .int()
      .min(1)
      .max(65_536)
      .describe('Characters of the post’s own text; a longer one is cut at a word.'),
    media_max: z.int().min(1).max(100).describe('Media of a post that go out: the first ones.'),
    on_media: z
      .enum(['fail', 'leave_out'])
      .describe('send_mode text: what to do with a post that has media. Default: fail.'),
    timeout: timeout.describe('Seconds that one call may take; uploads have their own time.'),
    jitter_ms: z
      .int()
      .min(0)
      .max(60_000)
      .describe('Each slot comes later by up to so many milliseconds, never earlier.'),
    similar: Similar.describe('Suppress what is nearly the same as a post that the channel has.'),
    ...Object.fromEntries(platforms.flatMap(({ settings }) => Object.entries(settings))),
  })
  .partial();

const Time = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as "09:00", in quotes');
const spans = z.array(z.tuple([Time, Time])).optional();

const PostingWindow = z
  .strictObject({
    mon: spans,
    tue: spans,
    wed: spans,
    thu: spans,
    fri: spans,
    sat: spans,
    sun: spans,
  })
  .describe('Spans of local time for each weekday; a weekday that is missing is closed.');

const RouteFilter = z
  .strictObject({ include_any: tags, include_all: tags, exclude: tags })
  .partial()
  .describe('Which posts the channel takes, by their tags; without it, all.');

const Channel = z
  .strictObject({
    platform: Platform,
    // People write the number of a chat without quotes.
    target_id: z
      .union([z.string(), z.int().transform(String)], 'must be a text; put the id in quotes')
      .describe('The chat, group or wall, as its platform names it.'),
    auth_ref: Id.describe('The credential that posts there.'),
    rate_group: Id.describe('Default: auth_ref.'),
    enabled,
    title: z.string().nullable(),
    send_mode: z.enum(['text', 'media', 'mixed']).describe('Default: mixed.'),
    rate_rps: rate.describe(
      'Messages a second in the chat; null or 0: no limit. Default: that of the platform.',
    ),
    max_parallel: z.int().min(1).max(10_000).describe('Sends at once. Default: 1.'),
    window_mode: z.enum(['immediate', 'windowed']).describe('Default: immediate.'),
    posting_window: PostingWindow.nullable(),
    timezone: z.string().nullable().describe('Of the posting window, such as Europe/Moscow.'),
    dedup_ttl_hours: z
      .int()
      .min(0)
      .nullable()
      .describe('How long the same content is not sent again. Default: 168.'),
    settings: ChannelSettings.describe('For the platform and for rendering.'),
    tags: tags.describe('In lower case.'),
    route_filter: RouteFilter.nullable(),
    template_ref: z
      .string()
      .nullable()
      .describe('A template’s id: its newest version; or id@version.'),
  })
  .partial();

const AlertTarget = z
  .strictObject({
    kind: z.enum(['chat', 'webhook', 'email', 'log']),
    enabled,
    min_severity: z
      .enum(['info', 'warning', 'critical'])
      .describe('Alerts below it are not told here. Default: warning.'),
    auth_ref: Id.nullable().describe('chat: the credential that writes there.'),
    target_id: z
      .union([z.string(), z.int().transform(String)], 'must be a text; put the id in quotes')
      .nullable()
      .describe('chat: where it is, as its platform names it.'),
    url: z.string().nullable().describe('webhook: where it is posted to.'),
    secret_ref: SecretRef.nullable().describe('webhook: the secret of its signature.'),
    recipients: z.array(z.string()).nullable().describe('email: the addresses.'),
  })
  .partial();

export const Document = z
  .strictObject({
    workspace: z
      .string()
      .regex(
        /^[A-Za-z0-9][\w.-]{0,63}$/,
        'must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or a digit',
      )
      .describe('The id of the workspace that this document configures.'),
    name: z.string().min(1).max(200).optional().describe('Default: the id.'),
    status: z
      .enum(['active', 'paused', 'disabled'])
      .optional()
      .describe('paused: takes posts in and sends none; disabled: neither. Default: active.'),
    settings: Settings.optional(),
    endpoints: z.record(Id, Endpoint).optional().describe('Where posts come in.'),
    credentials: z
      .record(Id, Credential)
      .optional()
      .describe('What channels post with, by auth_ref.'),
    rate_groups: z
      .record(z.string(), z.record(Id, RateGroup))
      .optional()
      .describe('By platform, then by rate_group.'),
    templates: z.record(z.string(), Template).optional(),
    channels: z.record(Id, Channel).optional().describe('Where posts go.'),
    pull_sources: z.record(Id, PullSource).optional().describe('Where posts are fetched from.'),
    alert_targets: z.record(Id, AlertTarget).optional().describe('Where alerts are told.'),
    bot_rules: z.record(Id, BotRule).optional().describe('What the bot answers to what.'),
  })
  .meta({
    title: 'Outrider configuration',
    description: 'One workspace, for outrider apply. See docs/configuration.md.',
  });

export type Document = z.output<typeof Document>;

/** The JSON Schema of a file, for editors and for finding what a misspelt key may have meant. */
export function documentSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(Document, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === PullSource) jsonSchema.allOf = kindConditions();
    },
  });
}
