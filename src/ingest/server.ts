// The HTTP server: routes, what every answer has in common, and the line that each request leaves in the log.

import type { IncomingMessage, Server } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { OutriderError } from '../errors.ts';
import type { Facts, Log } from '../log.ts';
import type { Answer } from './answers.ts';
import { type Incoming, letGo } from './body.ts';
import { answerClientError } from './client-error.ts';
import type { AnswersTo } from './host-names.ts';
import { type Refusal, refusalFor, refuse } from './refusal.ts';
import { requestIdOf } from './trace.ts';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Asked all the time by machines: logged only when it fails. */
  readonly isProbe?: boolean | undefined;
  handle(incoming: Incoming): Answer | Promise<Answer>;
}

export interface ServerOptions {
  readonly routes: readonly Route[];
  readonly log: Log;
  /** For the head of a request. */
  readonly headMs: number;
  /** For the whole of it. */
  readonly requestMs: number;
  /** How often both are looked at. */
  readonly checkMs: number;
  /** The most connections at once. */
  readonly connections: number;
  isStopping(): boolean;
  readonly answersTo: AnswersTo;
}

export function createServer(options: ServerOptions): FastifyInstance {
  const { routes, log, headMs, requestMs, checkMs } = options;
  const factsOf = new WeakMap<IncomingMessage, Facts>();
  const app = fastify({
    logger: false,
    http: { headersTimeout: headMs, connectionsCheckingInterval: checkMs },
    requestTimeout: requestMs,
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => {
      void send(request, reply, refuse('malformed_request', 'the address cannot be read'));
    },
  });

  function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
    letGo(request.raw);
    if (answer.facts !== undefined) factsOf.set(request.raw, answer.facts);
    if (request.raw.socket.destroyed) {
      const { method, routeOptions } = request;
      const facts = { method, route: routeOptions.url, status: answer.status, ...answer.facts };
      log.info('the sender went away before its answer', facts);
    }
    return reply
      .code(answer.status)
      .headers(answer.headers ?? {})
      .send(answer.body);
  }

  // Handlers read the body themselves, whatever it is said to be. Fastify would refuse a type that it cannot
  // read before anybody knows whose request it is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', async (request, reply) => {
    delete request.raw.headers['content-type'];
    const requestId = requestIdOf(request.raw.headers);
    if (requestId !== undefined) reply.header('x-request-id', requestId);
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (options.isStopping()) return send(request, reply, stopping());
    if (!options.answersTo(request.raw.headers.host)) return send(request, reply, otherHost());
    return undefined;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (options.isStopping()) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const { url: route } = request.routeOptions;
    const status = reply.statusCode;
    const facts = {
      method: request.method,
      route, // never the address: it is the sender's, and may carry anything
      status,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      ...factsOf.get(request.raw),
    };
    const isProbe = routes.some((each) => each.url === route && each.isProbe === true);
    if (status >= 500) log.warn('request', facts);
    else if (isProbe) log.debug('request', facts);
    else log.info('request', facts);
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalFor(error);
    if (refusal.status >= 500) logFault(log, request, refusal, error);
    return send(request, reply, refusal);
  });
  app.setNotFoundHandler((request, reply) => send(request, reply, nothingThere(routes, request)));

  for (const route of routes) {
    const { method, url } = route;
    app.route({
      method,
      url,
      handler: async (request, reply) =>
        send(request, reply, await route.handle({ raw: request.raw, response: reply.raw })),
    });
  }
  // Handlers say themselves when they want the body; see bodyOf.
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
  limitConnections(app.server, options);
  return app;
}

/** Says once in a while that it turns connections away. */
function limitConnections(server: Server, { connections, log }: ServerOptions): void {
  let isQuiet = false;
  server.maxConnections = connections;
  server.on('drop', () => {
    if (isQuiet) return;
    isQuiet = true;
    setTimeout(() => (isQuiet = false), 60_000).unref();
    log.warn('connections are turned away: there are as many as may be', { connections });
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

function nothingThere(routes: readonly Route[], request: FastifyRequest): Refusal {
  const [path] = request.url.split('?', 1);
  const allowed = routes.filter(({ url }) => url === path).map(({ method }) => method);
  if (allowed.length === 0) {
    return refuse('not_found', 'there is nothing at this address', {
      hint: 'GET /openapi.json lists what there is',
    });
  }
  const allow = allowed.join(', ');
  return refuse('method_not_allowed', `only ${allow} is answered here`, { headers: { allow } });
}

function logFault(log: Log, request: FastifyRequest, refusal: Refusal, error: unknown): void {
  const { method, routeOptions } = request;
  const facts = { method, route: routeOptions.url, ...refusal.facts, ...describe(error) };
  log.error('a request failed', facts);
}

function describe(error: unknown): Facts {
  if (error instanceof OutriderError) {
    const { message, hint, code: error_code, sqlstate, place } = error;
    return { error: message, hint, error_code, sqlstate, place };
  }
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
