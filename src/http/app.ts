// What all requests to the server have in common, whatever area they are for: who is answered at all, the form of an
// answer, and the line in the log. Areas are plugins of Fastify: each has its routes, and may have refusals of its own.

import type { Server } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { OutriderError } from '../errors.ts';
import type { Facts, Log } from '../log.ts';
import { type Observer, unobserved } from '../observer.ts';
import type { Answer } from './answer.ts';
import { discardRest } from './body.ts';
import { answerClientError } from './client-error.ts';
import type { AnswersTo } from './host-names.ts';
import { type Refusal, refusalFor, refuse } from './refusal.ts';
import { requestIdOf } from './trace.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** For the request's line in the log. */
    facts: Facts | undefined;
    /** Answers the request. `thrown` is the error that led to the answer; it is logged if the status is 500 or more. */
    answer(answer: Answer, thrown?: unknown): FastifyReply;
  }

  interface FastifyContextConfig {
    /** Machines ask it all the time, so it is logged only when it fails. */
    readonly isProbe?: boolean;
  }
}

export interface AppOptions {
  readonly log: Log;
  /** For the head of a request. */
  readonly headMs: number;
  /** For the whole request. */
  readonly requestMs: number;
  /** How often both times are checked. */
  readonly checkMs: number;
  /** The most connections at once. */
  readonly connections: number;
  readonly observer?: Observer | undefined;
  isStopping(): boolean;
  readonly answersTo: AnswersTo;
}

export function createApp(options: AppOptions): FastifyInstance {
  const { log, headMs, requestMs, checkMs, observer = unobserved } = options;
  const app = fastify({
    logger: false,
    http: { headersTimeout: headMs, connectionsCheckingInterval: checkMs },
    requestTimeout: requestMs,
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    // The address leads nowhere in the app, so the reply has no decorations.
    frameworkErrors: (_error, _request, reply) => {
      void answer(log, reply, refuse('malformed_request', 'the address cannot be read'));
    },
  });

  app.decorateReply('facts', undefined);
  app.decorateReply('answer', function decorated(this: FastifyReply, given, thrown) {
    return answer(log, this, given, thrown);
  });

  // Handlers read the body themselves, whatever its type. Fastify would refuse a type that it cannot read before
  // anybody knows whose request it is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', (request, reply, next) => {
    delete request.raw.headers['content-type'];
    const requestId = requestIdOf(request.raw.headers);
    if (requestId !== undefined) reply.header('x-request-id', requestId);
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (options.isStopping()) reply.answer(stopping());
    else if (!options.answersTo(request.raw.headers.host)) reply.answer(otherHost());
    else next();
  });
  app.addHook('onSend', (_request, reply, _payload, next) => {
    if (options.isStopping()) reply.header('connection', 'close');
    next();
  });
  app.addHook('onResponse', (request, reply, next) => {
    logRequest(log, request, reply);
    const { url: route, config } = request.routeOptions;
    const { statusCode: status, elapsedTime: durationMs } = reply;
    const isTold = observer.isOn && config.isProbe !== true;
    if (isTold) observer.request({ method: request.method, route, status, durationMs });
    next();
  });
  app.setErrorHandler((error, _request, reply) => reply.answer(refusalFor(error), error));
  app.setNotFoundHandler((request, reply) => reply.answer(nothingThere(app, request)));
  // Handlers say themselves when they want the body; see bodyOf.
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
  limitConnections(app.server, options);
  return app;
}

function answer(log: Log, reply: FastifyReply, given: Answer, thrown?: unknown): FastifyReply {
  const { method, raw, routeOptions } = reply.request;
  const facts = { method, route: routeOptions.url, ...given.facts };
  discardRest(raw);
  reply.facts = given.facts;
  if (thrown !== undefined && given.status >= 500) {
    log.error('a request failed', { ...facts, ...describe(thrown) });
  }
  if (raw.socket.destroyed) {
    log.info('the sender went away before its answer', { ...facts, status: given.status });
  }
  return reply
    .code(given.status)
    .headers(given.headers ?? {})
    .send(given.body);
}

function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const { url: route, config } = request.routeOptions;
  const status = reply.statusCode;
  const facts = {
    method: request.method,
    route, // never the address: the sender wrote it, and it may carry anything
    status,
    duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    ...reply.facts,
  };
  if (status >= 500) log.warn('request', facts);
  else if (config.isProbe === true) log.debug('request', facts);
  else log.info('request', facts);
}

/** Logs at most once a minute that it turns connections away. */
function limitConnections(server: Server, { connections, log }: AppOptions): void {
  let isQuiet = false;
  server.maxConnections = connections;
  server.on('drop', () => {
    if (isQuiet) return;
    isQuiet = true;
    setTimeout(() => (isQuiet = false), 60_000).unref();
    log.warn('connections are turned away: the limit is reached', { connections });
  });
}

function otherHost(): Refusal {
  return refuse('host_refused', 'this server does not answer to that host name', {
    hint: 'ask for it by its address or as localhost, or list the name in OUTRIDER_ALLOWED_HOSTS',
  });
}

function stopping(): Refusal {
  return refuse('stopping', 'the server is stopping', {
    hint: 'send the same request again',
    retryAfterSeconds: 1,
  });
}

const methods = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'] as const;

function nothingThere(app: FastifyInstance, request: FastifyRequest): Refusal {
  const [url = ''] = request.url.split('?', 1);
  const allowed = methods.filter((method) => app.hasRoute({ method, url }));
  if (allowed.length === 0) {
    const hasDocument = app.hasRoute({ method: 'GET', url: '/openapi.json' });
    const hint = hasDocument ? { hint: 'GET /openapi.json lists what there is' } : {};
    return refuse('not_found', 'there is nothing at this address', hint);
  }
  const allow = allowed.join(', ');
  return refuse('method_not_allowed', `only ${allow} is answered here`, { headers: { allow } });
}

function describe(error: unknown): Facts {
  if (error instanceof OutriderError) {
    const { message, hint, code: error_code, sqlstate, place } = error;
    return { error: message, hint, error_code, sqlstate, place };
  }
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
