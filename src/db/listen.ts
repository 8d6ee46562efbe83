// Listens for notifications, on its own connection. A connection that is lost is opened again until the listener stops.
//
//   connecting  → LISTEN succeeded → listening: onWake once, for what was missed meanwhile
//   listening   → a notification → onWake
//   listening   → the connection breaks, or a heartbeat finds it silent → connecting, after a pause

import { setTimeout as delay } from 'node:timers/promises';
import { fromPostgres, type OutriderError } from '../errors.ts';
import { openClient } from './pool.ts';

/** The channels that dispatchers and publishers of the outbox listen to. */
export type WakeChannel = 'outrider_wake' | 'outrider_outbox';

export interface ListenOptions {
  readonly url: string;
  readonly applicationName: string;
  /** Whose notifications: those of dispatchers when missing. */
  readonly channel?: WakeChannel | undefined;
  onWake(): void;
  /** Called once each time the connection is lost. */
  onLost?(error: OutriderError): void;
  readonly heartbeatMs?: number | undefined;
  /** How long a heartbeat may take. */
  readonly silenceMs?: number | undefined;
  readonly reconnectMs?: number | undefined;
}

export interface Listener {
  stop(): Promise<void>;
}

export function listenForWakes(options: ListenOptions): Listener {
  const stopping = new AbortController();
  const running = run(options, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function run(options: ListenOptions, signal: AbortSignal): Promise<void> {
  let wasListening = true;
  while (!signal.aborted) {
    try {
      await listen(options, signal, () => {
        wasListening = true;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (wasListening) options.onLost?.(fromPostgres(error));
      wasListening = false;
      await pause(options.reconnectMs ?? 500, signal);
    }
  }
}

/** Listens until the connection is lost or the signal breaks it off; then it throws. */
async function listen(
  options: ListenOptions,
  signal: AbortSignal,
  onListening: () => void,
): Promise<never> {
  const { channel = 'outrider_wake', heartbeatMs = 5000, silenceMs = 5000 } = options;
  const client = await openClient({
    url: options.url,
    applicationName: options.applicationName,
    connectTimeoutMs: silenceMs,
    statementTimeoutMs: silenceMs,
    silenceMs: 500,
    signal,
  });
  const ended = new AbortController();
  let fault = new Error('Connection terminated');
  client.once('error', (error: Error) => {
    fault = error;
  });
  client.once('end', () => ended.abort());
  try {
    client.on('notification', () => options.onWake());
    await client.query(`listen ${channel}`);
    onListening();
    options.onWake();
    for (;;) {
      await pause(heartbeatMs, ended.signal);
      if (ended.signal.aborted) throw fault;
      await client.query('select 1');
    }
  } finally {
    // A connection that has gone silent does not answer a goodbye.
    client.connection.stream.destroy();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
