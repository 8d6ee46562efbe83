// The HTTP server of a process. Its areas are parts of the interface, each with its routes.
//
//   listening → stop() → stopping: nothing new is taken, requests under way may end within the grace
//   → halted: they are broken off, and have a moment to answer what became of them → closed

import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import { healthy, type Service } from '../service.ts';
import { type AnswersTo, answersToNames } from './host-names.ts';
import { listenFault, type Place } from './listen-fault.ts';

/** A plugin of Fastify that adds the routes of one part of the interface. */
export type Area = (app: FastifyInstance, server: ServerState) => Promise<void>;

export interface ServerState {
  /** Aborted when the server is told to stop. What has no end of its own, such as a stream of events, ends then. */
  readonly stopping: AbortSignal;
  /** Aborted when requests under way have run out of time. */
  readonly halted: AbortSignal;
}

export interface ServerOptions extends Place {
  /** Host names that the server answers to, besides those of the loopback. */
  readonly allowedHosts: readonly string[];
  /** The most connections at once. */
  readonly connections: number;
  readonly log: Log;
  readonly areas: readonly Area[];
  /** Who is told of requests; nobody when missing. */
  readonly observer?: Observer | undefined;
  /** Time limits that differ from the usual ones. */
  readonly patience?: Partial<ServerPatience> | undefined;
}

export interface ServerPatience {
  /** For the head of a request. */
  readonly headMs: number;
  /** For the whole of any request. */
  readonly requestMs: number;
  /** How often these two times are checked. */
  readonly checkMs: number;
  /** For requests under way when the server is told to stop. */
  readonly stopMs: number;
  /** For the answers of requests that were broken off then. */
  readonly haltMs: number;
}

const usual: ServerPatience = {
  headMs: 10_000,
  requestMs: 15 * 60_000,
  checkMs: 5000,
  stopMs: 10_000,
  haltMs: 2000,
};

export interface HttpServer extends Omit<Service, 'name'> {
  /** Where a program on this machine finds it. */
  readonly url: string;
}

const toNobody: AnswersTo = () => false;

export async function startServer(options: ServerOptions): Promise<HttpServer> {
  const patience = { ...usual, ...options.patience };
  const stop = new AbortController();
  const halt = new AbortController();
  const { signal: stopping } = stop;
  let answersTo: AnswersTo = toNobody; // no request comes before it listens
  // Not before somebody listens: what it is built on takes a while to load.
  const { createApp } = await import('./app.ts');
  const app = createApp({
    ...patience,
    connections: options.connections,
    log: options.log,
    observer: options.observer,
    isStopping: () => stopping.aborted,
    answersTo: (host) => answersTo(host),
  });
  for (const area of options.areas) void app.register(area, { stopping, halted: halt.signal });
  await listen(app, options);
  const address = app.server.address();
  const listensAt = typeof address === 'object' ? (address?.address ?? '') : '';
  answersTo = answersToNames({ listensAt, ...options });

  return {
    url: urlOf(address, options.host),
    health: () => (stopping.aborted ? { ok: false, reason: 'it is stopping' } : healthy),
    async stop() {
      stop.abort();
      const closed = app.close();
      await Promise.race([closed, delay(patience.stopMs, undefined, { ref: false })]);
      halt.abort();
      await Promise.race([closed, delay(patience.haltMs, undefined, { ref: false })]);
      app.server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(app: FastifyInstance, { host, port }: Place): Promise<void> {
  try {
    await app.listen({ host: await addressOf(host), port });
  } catch (error) {
    await app.close();
    throw listenFault(error, { host, port });
  }
}

/**
 * Fastify would open a second server for the other address of localhost, which neither the limit of connections nor the
 * stop of this one reaches.
 */
async function addressOf(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host)).address : host;
}

function urlOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' ? address?.port : undefined;
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
