// What openapi.json says of previews.

import { type ApiPart, answerOf, ref, refusalsOf } from '../http/openapi.ts';
import { type RefusalCode, statusOf } from '../ingest/refusal.ts';
import { PreviewAnswer } from './answers.ts';

const schemas = { Preview: PreviewAnswer } as const;

const refusals: readonly RefusalCode[] = [
  'malformed_request',
  'malformed_json',
  'missing_secret',
  'unknown_secret',
  'workspace_disabled',
  'endpoint_closed',
  'bad_signature',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'post_refused',
  'workspace_busy',
  'internal',
  'database_unavailable',
  'locked',
  'overloaded',
  'signing_secret_unreadable',
  'starting',
  'stopping',
  'took_too_long',
];

export const previewApi: ApiPart = {
  paths: {
    '/v1/preview': {
      post: {
        operationId: 'preview',
        summary: 'Says what would become of a post, and takes nothing in',
        security: [{ bearer: [] }, { secret: [] }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: ref('Post') } },
        },
        responses: {
          200: answerOf(schemas, 'Preview'),
          ...refusalsOf(refusals, statusOf, 'Refused'),
        },
      },
    },
  },
  schemas,
  securitySchemes: {},
};
