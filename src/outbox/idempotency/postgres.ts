// Marks and leases in PostgreSQL, in outrider.processed_events: for those who have no Redis, or need marks that are as
// durable as the effect.

import {
  checkAndMarkProcessed,
  claimEvent,
  confirmEvent,
  extendEvent,
  releaseEvent,
} from '../../db/consume.ts';
import { openPool, type Queryable } from '../../db/pool.ts';
import { DatabaseBusyError } from '../../errors.ts';
import { checked, type IdempotencyStore, ttlBounds } from './store.ts';

export interface PostgresStoreOptions {
  /** The time to use instead of the server's; for tests and simulations. */
  readonly now?: (() => string) | undefined;
}

/** Uses a pool of the caller. Its login is a member of outrider_consumer. */
export function createPostgresStore(
  client: Queryable,
  options: PostgresStoreOptions = {},
): IdempotencyStore {
  const now = (): string | undefined => options.now?.();
  return checked({
    name: 'postgres',
    checkAndMarkProcessed: (consumer, eventId, ttlMs = ttlBounds.default) =>
      checkAndMarkProcessed(client, { consumer, eventId, ttlMs }, now()),
    async claim(lease, leaseMs) {
      try {
        return await claimEvent(client, { ...lease, leaseMs }, now());
      } catch (error) {
        if (isHeldByTransaction(error)) return 'busy';
        throw error;
      }
    },
    extend: (lease, leaseMs) => extendEvent(client, { ...lease, leaseMs }, now()),
    confirm: (lease, ttlMs) => confirmEvent(client, { ...lease, ttlMs }, now()),
    release: (lease) => releaseEvent(client, lease, now()),
    close: async () => undefined,
  });
}

/** Uses up to four connections of its own. It gives up on a silent one sooner than the usual lease ends. */
export function openPostgresStore(options: {
  readonly url: string;
  readonly timeoutMs?: number | undefined;
}): IdempotencyStore {
  const timeoutMs = options.timeoutMs ?? 2000;
  const pool = openPool({
    url: options.url,
    applicationName: 'outrider consumer',
    max: 4,
    connectTimeoutMs: timeoutMs,
    statementTimeoutMs: timeoutMs,
    silenceMs: timeoutMs,
  });
  return { ...createPostgresStore(pool), close: () => pool.end() };
}

/** Whether an open transaction has the event. It may still be rolled back. */
export function isHeldByTransaction(error: unknown): boolean {
  return error instanceof DatabaseBusyError && error.sqlstate === '55P03';
}
