// The routes that take posts and files in, and those that document how.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Area } from '../http/server.ts';
import type { Welcome } from './answers.ts';
import type { IngestContext } from './context.ts';
import { createEndpointRequests, type Take } from './endpoint-request.ts';
import { openApi } from './openapi.ts';
import { takePush } from './push.ts';
import { refusalFor } from './refusal.ts';
import type { Limits } from './shares.ts';
import { takeUpload } from './upload.ts';

export function intakeArea(given: Omit<IngestContext, 'halted'>, limits: Limits): Area {
  return async (app, { halted }) => {
    const context = { ...given, halted };
    const requests = createEndpointRequests(context.client, limits);
    const taking = (how: Take) => async (request: FastifyRequest, reply: FastifyReply) => {
      const incoming = { raw: request.raw, response: reply.raw };
      return reply.answer(await requests.take(context, incoming, how));
    };
    const welcome: z.input<typeof Welcome> = { name: 'outrider', openapi: '/openapi.json' };
    const document = openApi();

    app.setErrorHandler((error, _request, reply) => reply.answer(refusalFor(error), error));
    app.post('/v1/ingest', taking(takePush));
    app.post('/v1/media', taking(takeUpload));
    app.get('/openapi.json', (_request, reply) => reply.answer({ status: 200, body: document }));
    app.get('/', (_request, reply) => reply.answer({ status: 200, body: welcome }));
  };
}
