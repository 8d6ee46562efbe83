// /healthz and /readyz, for a process that has no other HTTP server.

import { once } from 'node:events';
import http from 'node:http';
import { databaseTime } from '../db/health.ts';
import type { Queryable } from '../db/pool.ts';
import { OutriderError } from '../errors.ts';
import { listenFault } from '../ingest/listen-fault.ts';
import { type Health, healthy, type Service } from '../service.ts';

export interface HealthServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly client: Queryable;
  readonly services: readonly Service[];
  /** How long the database may take to answer. */
  readonly databaseMs?: number | undefined;
}

export interface HealthServer {
  readonly url: string;
  /** From now on the process is not ready: it stops. */
  retire(): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  let isRetired = false;

  async function answerTo(path: string): Promise<Answer> {
    if (path === '/healthz') return { status: 200, body: { ok: true } };
    if (path !== '/readyz') return { status: 404, body: { error: 'not_found' } };
    const { services, client, databaseMs = 2000 } = options;
    const all = [
      { name: 'database', ...(await databaseHealth(client, databaseMs)) },
      ...services.map((each) => ({ name: each.name, ...each.health() })),
      ...(isRetired ? [{ name: 'process', ok: false, reason: 'it is stopping' }] : []),
    ];
    const ready = all.every(({ ok }) => ok);
    return { status: ready ? 200 : 503, body: { ready, services: all } };
  }

  async function answer(
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const isAsked = request.method === 'GET' || request.method === 'HEAD';
    const [path = ''] = (request.url ?? '').split('?', 1);
    const { status, body } = isAsked
      ? await answerTo(path)
      : { status: 405, body: { error: 'method_not_allowed' } };
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
  }

  const server = http.createServer((request, response) => void answer(request, response));
  server.requestTimeout = 5000;
  try {
    server.listen(options.port, options.host);
    await once(server, 'listening');
  } catch (error) {
    throw listenFault(error, options);
  }
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? options.port) : options.port;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;

  return {
    url: `http://${host}:${port}`,
    retire() {
      isRetired = true;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function databaseHealth(client: Queryable, patienceMs: number): Promise<Health> {
  const { promise: late, resolve } = Promise.withResolvers<Health>();
  const reason = `no answer within ${patienceMs} ms`;
  const timer = setTimeout(() => resolve({ ok: false, reason }), patienceMs);
  try {
    return await Promise.race([databaseTime(client).then(() => healthy, unwell), late]);
  } finally {
    clearTimeout(timer);
  }
}

// In the words of our own errors only.
function unwell(error: unknown): Health {
  const isPlain = error instanceof OutriderError && error.code === 'database_away';
  return { ok: false, reason: isPlain ? error.message : 'the database does not do its work' };
}
