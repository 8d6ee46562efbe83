// The HTTP side of Outrider: takes posts and files in, and tells how things are.
//
//   listening → stop() → stopping: nothing new is taken, requests under way may end within the grace
//   → closed

import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { healthy, type Service } from '../service.ts';
import type { IngestContext } from './context.ts';
import { createEndpointRequests, type EndpointRequests } from './endpoint-request.ts';
import { type AnswersTo, answersToNames } from './host-names.ts';
import { listenFault } from './listen-fault.ts';
import { openApi } from './openapi.ts';
import { takePush } from './push.ts';
import { readiness } from './readiness.ts';
import { createServer, type Route } from './server.ts';
import type { Limits } from './shares.ts';
import { takeUpload } from './upload.ts';

export interface IngestOptions extends Omit<IngestContext, 'patience' | 'halted'> {
  readonly host: string;
  readonly port: number;
  /** Host names that requests may be for, besides those of the loopback. */
  readonly allowedHosts: readonly string[];
  /** The most connections at once. */
  readonly connections: number;
  /** How long things may take, where it is not as usual. */
  readonly patience?: Partial<Patience> | undefined;
  /** What there may be at once, where it is not as usual. */
  readonly limits?: Partial<Limits> | undefined;
}

interface Patience {
  /** For the head of a request. */
  readonly headMs: number;
  /** For the whole of any request. */
  readonly requestMs: number;
  /** How often these two are looked at. */
  readonly checkMs: number;
  /** For the body of a post. */
  readonly postMs: number;
  /** The longest silence within a body. */
  readonly silenceMs: number;
  /** For the database's word on whether it is there. */
  readonly databaseMs: number;
  /** For requests under way when the service is told to stop. */
  readonly stopMs: number;
}

const usual: Patience = {
  headMs: 10_000,
  requestMs: 15 * 60_000,
  checkMs: 5000,
  postMs: 30_000,
  silenceMs: 30_000,
  databaseMs: 2000,
  stopMs: 10_000,
};

// A tenth, a quarter and a third of what the process has: nobody's share is all of it.
const usualLimits: Limits = {
  requests: 100,
  bytes: 8 * 1024 * 1024,
  allBytes: 32 * 1024 * 1024,
  calls: 3,
  turnMs: 5000,
};

const toNobody: AnswersTo = () => false;

/** Refuses to start where files cannot be kept: every upload would fail. */
export async function startIngest(
  options: IngestOptions,
): Promise<Service & { readonly url: string }> {
  await options.store.prepare();
  const patience = { ...usual, ...options.patience };
  const limits = { ...usualLimits, ...options.limits };
  const halt = new AbortController();
  const context: IngestContext = { ...options, patience, halted: halt.signal };
  let isStopping = false;
  let answersTo: AnswersTo = toNobody; // nobody can ask before it listens
  const app = createServer({
    ...patience,
    connections: options.connections,
    routes: routesOf(context, createEndpointRequests(options.client, limits)),
    log: options.log,
    isStopping: () => isStopping,
    answersTo: (host) => answersTo(host),
  });
  await listen(app, options);
  const address = app.server.address();
  const listensAt = typeof address === 'object' ? (address?.address ?? '') : '';
  answersTo = answersToNames({ listensAt, ...options });

  return {
    name: 'ingest',
    url: urlOf(address, options.host),
    health: () => (isStopping ? { ok: false, reason: 'it is stopping' } : healthy),
    async stop() {
      isStopping = true;
      const closed = app.close();
      await Promise.race([closed, delay(patience.stopMs, undefined, { ref: false })]);
      halt.abort();
      app.server.closeAllConnections();
      await closed;
    },
  };
}

function routesOf(context: IngestContext, requests: EndpointRequests): readonly Route[] {
  const document = openApi();
  return [
    {
      method: 'POST',
      url: '/v1/ingest',
      handle: async (incoming) => requests.take(context, incoming, takePush),
    },
    {
      method: 'POST',
      url: '/v1/media',
      handle: async (incoming) => requests.take(context, incoming, takeUpload),
    },
    {
      method: 'GET',
      url: '/healthz',
      isProbe: true,
      handle: () => ({ status: 200, body: { alive: true } }),
    },
    { method: 'GET', url: '/readyz', isProbe: true, handle: async () => readiness(context) },
    { method: 'GET', url: '/openapi.json', handle: () => ({ status: 200, body: document }) },
    {
      method: 'GET',
      url: '/',
      handle: () => ({ status: 200, body: { name: 'outrider', openapi: '/openapi.json' } }),
    },
  ];
}

async function listen(
  app: { listen(where: { host: string; port: number }): Promise<string>; close(): unknown },
  { host, port }: IngestOptions,
): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw listenFault(error, { host, port });
  }
}

/** Where a program on this machine finds the server. */
function urlOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' ? address?.port : undefined;
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
