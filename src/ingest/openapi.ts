// GET /openapi.json: the interface as OpenAPI 3.1, made from the same schemas as the answers.

import { Alive, Readiness } from '../http/health.ts';
import { type ApiPart, answerOf, openApiOf, plain, ref, refusalsOf } from '../http/openapi.ts';
import { Accepted, Heard, Repeated, Uploaded, Welcome } from './answers.ts';
import { Post } from './post-schema.ts';
import { type RefusalCode, Refused, statusOf } from './refusal.ts';

const schemas = {
  Post,
  Accepted,
  Repeated,
  Uploaded,
  Heard,
  Readiness,
  Alive,
  Welcome,
  Refused,
} as const;
type SchemaName = keyof typeof schemas;

const ofAllRequests: readonly RefusalCode[] = [
  'malformed_request',
  'missing_secret',
  'unknown_secret',
  'workspace_disabled',
  'request_timeout',
  'payload_too_large',
  'rate_limited',
  'workspace_busy',
  'internal',
  'database_unavailable',
  'locked',
  'took_too_long',
  'starting',
  'stopping',
];

const ofPosts: readonly RefusalCode[] = [
  ...ofAllRequests,
  'malformed_json',
  'endpoint_closed',
  'bad_signature',
  'unsupported_media_type',
  'post_refused',
  'media_refused',
  'media_unavailable',
  'signing_secret_unreadable',
  'overloaded',
  'storage_full',
  'storage_unavailable',
];

const ofUpdates: readonly RefusalCode[] = [
  ...ofAllRequests,
  'malformed_json',
  'update_refused',
  'overloaded',
];

const ofFiles: readonly RefusalCode[] = [
  ...ofAllRequests,
  'unsupported_media_type',
  'upload_refused',
  'storage_full',
  'storage_unavailable',
];

const info = {
  title: 'Outrider',
  version: '1.0.0',
  description: 'Takes posts in and says what becomes of them in each channel.',
};

/** `also` are other parts of the interface that the same server has. */
export function openApi(also: readonly ApiPart[] = []): Readonly<Record<string, unknown>> {
  return openApiOf(info, [ours(), ...also]);
}

function ours(): ApiPart {
  return {
    paths: {
      '/v1/ingest': { post: ingest },
      '/v1/media': { post: media },
      '/v1/bot/max': { post: botOf('MAX', 'maxSecret') },
      '/v1/bot/telegram': { post: botOf('Telegram', 'telegramSecret') },
      '/v1/payloads/{token}': { get: payload },
      '/healthz': { get: plain('Is the process alive?', { 200: answer('Alive') }) },
      '/readyz': {
        get: plain('Does everything do its work?', {
          200: answer('Readiness'),
          503: answer('Readiness'),
        }),
      },
      '/openapi.json': {
        get: plain('This document', {
          200: { description: 'OpenAPI 3.1', content: { 'application/json': {} } },
        }),
      },
      '/': { get: plain('Where to read on', { 200: answer('Welcome') }) },
    },
    schemas,
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'The secret of an endpoint.' },
      secret: { type: 'apiKey', in: 'header', name: 'x-outrider-secret' },
      maxSecret: { type: 'apiKey', in: 'header', name: 'x-max-bot-api-secret' },
      telegramSecret: {
        type: 'apiKey',
        in: 'header',
        name: 'x-telegram-bot-api-secret-token',
      },
    },
  };
}

const security = [{ bearer: [] }, { secret: [] }];

const ingest = {
  operationId: 'ingest',
  summary: 'Takes a post in',
  security,
  parameters: [
    header('traceparent', 'W3C Trace Context; its trace becomes trace_id where the post has none.'),
    header('x-request-id', 'The same, where there is no traceparent.'),
    header('webhook-id', 'Of signed requests (Standard Webhooks): becomes source_ref.'),
    header('webhook-timestamp', 'Of signed requests: seconds since 1970.'),
    header('webhook-signature', 'Of signed requests: v1,<base64>, several with spaces between.'),
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: ref('Post') } },
  },
  responses: { 200: answer('Repeated'), 202: answer('Accepted'), ...refusals(ofPosts) },
};

const media = {
  operationId: 'upload',
  summary: 'Keeps a file for posts to refer to',
  security,
  requestBody: {
    required: true,
    description: 'The bytes of one file, of whatever type, or a form with one file.',
    content: {
      'application/octet-stream': {},
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file: { type: 'string', format: 'binary' } },
        },
      },
    },
  },
  responses: { 201: answer('Uploaded'), ...refusals(ofFiles) },
};

function botOf(title: string, secret: string): object {
  return {
    operationId: `bot${title}`,
    summary: `Takes in what ${title} tells a bot`,
    security: [{ [secret]: [] }],
    requestBody: {
      required: true,
      description: `One update, as ${title} documents it.`,
      content: { 'application/json': {} },
    },
    responses: { 200: answer('Heard'), ...refusals(ofUpdates) },
  };
}

const payload = {
  operationId: 'payload',
  summary: 'A raw payload, by a link that outrider payload link has made',
  parameters: [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }],
  responses: {
    200: {
      description:
        'The request or the answer: its head in the form of HTTP, then its body as it came.',
      content: { 'application/octet-stream': {} },
    },
    ...refusals([
      'not_found',
      'internal',
      'database_unavailable',
      'payload_unreadable',
      'stopping',
    ]),
  },
};

function answer(name: SchemaName): object {
  return answerOf(schemas, name);
}

function refusals(codes: readonly RefusalCode[]): object {
  return refusalsOf(codes, statusOf, 'Refused');
}

function header(name: string, description: string): object {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}
