// /healthz and /readyz, for a process that has no other HTTP server.

import { once } from 'node:events';
import http from 'node:http';
import { listenFault } from '../ingest/listen-fault.ts';
import { type ReadinessOptions, readinessOf } from './readiness.ts';

export interface HealthServerOptions extends ReadinessOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
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
    const body = await readinessOf({ ...options, isStopping: isRetired });
    return { status: body.ready ? 200 : 503, body };
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
