// The gateway in OpenAPI.

import { Alive, Readiness } from '../http/health.ts';
import { type ApiPart, answerOf, openApiOf, plain, ref, refusalsOf } from '../http/openapi.ts';
import { Delivered, ImportedPost, ReadChunk, Replied, Told } from './answers.ts';
import { type RefusalCode, Refused, statusOf } from './refusal.ts';
import { DeliverRequest, ImportRequest, PullRequest, ReplyRequest, TellRequest } from './rows.ts';

const schemas = {
  DeliverRequest,
  ReplyRequest,
  TellRequest,
  PullRequest,
  ImportRequest,
  Delivered,
  Replied,
  Told,
  ReadChunk,
  ImportedPost,
  GatewayRefused: Refused,
};
type SchemaName = keyof typeof schemas;

const codes: readonly RefusalCode[] = [
  'malformed_request',
  'malformed_json',
  'missing_token',
  'wrong_token',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'not_a_row',
  'no_room',
  'internal',
  'database_unavailable',
  'storage_unavailable',
  'token_unreadable',
  'starting',
  'stopping',
];

export const gatewayApi: ApiPart = {
  paths: {
    '/v1/deliver': {
      post: route('deliver', 'Sends a claimed delivery', 'DeliverRequest', 'Delivered'),
    },
    '/v1/bot/send': {
      post: route('sendReply', 'Sends a claimed reply of a bot', 'ReplyRequest', 'Replied'),
    },
    '/v1/alerts': {
      post: route(
        'tell',
        'Carries a claimed notification to its alert target',
        'TellRequest',
        'Told',
      ),
    },
    '/v1/pull/{source_id}': {
      post: {
        ...route('readChunk', 'Reads a chunk of a claimed source', 'PullRequest', 'ReadChunk'),
        parameters: [{ name: 'source_id', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
    '/v1/media/import': {
      post: route('importMedia', 'Copies the media of a post', 'ImportRequest', 'ImportedPost'),
    },
  },
  schemas,
  securitySchemes: {
    gatewayToken: { type: 'http', scheme: 'bearer', description: 'The token of the gateway.' },
  },
};

function route(operationId: string, summary: string, takes: SchemaName, gives: SchemaName): object {
  return {
    operationId,
    summary,
    security: [{ gatewayToken: [] }],
    requestBody: { required: true, content: { 'application/json': { schema: ref(takes) } } },
    responses: {
      200: answerOf(schemas, gives),
      ...refusalsOf(codes, statusOf, 'GatewayRefused'),
    },
  };
}

const ofServer = { Alive, Readiness };

const serverApi: ApiPart = {
  paths: {
    '/healthz': { get: plain('Is the process alive?', { 200: answerOf(ofServer, 'Alive') }) },
    '/readyz': {
      get: plain('Does everything do its work?', {
        200: answerOf(ofServer, 'Readiness'),
        503: answerOf(ofServer, 'Readiness'),
      }),
    },
    '/openapi.json': {
      get: plain('This document', {
        200: { description: 'OpenAPI 3.1', content: { 'application/json': {} } },
      }),
    },
  },
  schemas: ofServer,
  securitySchemes: {},
};

/** The document of a server that has the gateway alone. */
export function openApi(): Readonly<Record<string, unknown>> {
  return openApiOf(
    {
      title: 'Outrider gateway',
      version: '1.0.0',
      description: 'Sends, reads and copies for programs that call the functions of the database.',
    },
    [gatewayApi, serverApi],
  );
}
