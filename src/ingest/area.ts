// The routes that take posts and files in, and those that document how.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ApiPart } from '../http/openapi.ts';
import type { Area } from '../http/server.ts';
import { traceContextOf } from '../http/trace.ts';
import { unobserved } from '../observer.ts';
import type { Welcome } from './answers.ts';
import type { IngestContext } from './context.ts';
import { createEndpointRequests, type Take } from './endpoint-request.ts';
import { openApi } from './openapi.ts';
import { takePush } from './push.ts';
import { refusalFor } from './refusal.ts';
import type { Limits } from './shares.ts';
import { takeUpload } from './upload.ts';

/** `documents` are of other parts of the interface that the same server has. */
export function intakeArea(
  given: Omit<IngestContext, 'halted'>,
  limits: Limits,
  documents: readonly ApiPart[] = [],
): Area {
  return async (app, { halted }) => {
    const context = { ...given, halted };
    const requests = createEndpointRequests(context.client, limits);
    const taking =
      (how: Take<IngestContext>) => async (request: FastifyRequest, reply: FastifyReply) => {
        const incoming = { raw: request.raw, response: reply.raw };
        return reply.answer(await requests.take(context, incoming, how));
      };
    const welcome: z.input<typeof Welcome> = { name: 'outrider', openapi: '/openapi.json' };
    const document = openApi(documents);

    app.setErrorHandler((error, _request, reply) => reply.answer(refusalFor(error), error));
    app.post('/v1/ingest', taking(observed(takePush)));
    app.post('/v1/media', taking(takeUpload));
    app.get('/openapi.json', (_request, reply) => reply.answer({ status: 200, body: document }));
    app.get('/', (_request, reply) => reply.answer({ status: 200, body: welcome }));
  };
}

/** Tells the observer of every post. */
function observed(take: Take<IngestContext>): Take<IngestContext> {
  return async (context, request) => {
    const { observer = unobserved } = context;
    if (!observer.isOn) return take(context, request);
    const caller = traceContextOf(request.raw.headers);
    const begun = { way: 'push', startedAt: observer.now(), caller } as const;
    try {
      const answer = await take(context, request);
      const { status, kept } = answer;
      observer.post({ ...begun, endedAt: observer.now(), status, kept });
      return answer;
    } catch (error) {
      const { status } = refusalFor(error);
      observer.post({ ...begun, endedAt: observer.now(), status, kept: undefined });
      throw error;
    }
  };
}
