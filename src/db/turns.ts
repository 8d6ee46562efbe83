// Runs only a few queries of one caller at a time. The others wait in line without holding a connection, so no caller
// takes all the connections of a pool.

import type pg from 'pg';
import { DatabaseBusyError } from '../errors.ts';
import type { Queryable } from './pool.ts';

export interface TurnOptions {
  /** The most queries under way. */
  readonly atOnce: number;
  /** How long a query waits for its turn. */
  readonly waitMs: number;
}

/** The caller's own queries were in the way for too long; this one was not begun. */
export class NoTurnError extends DatabaseBusyError {
  constructor(waitMs: number) {
    super(`other queries of the same caller took all of ${waitMs} ms`);
  }
}

export function takingTurns(client: Queryable, { atOnce, waitMs }: TurnOptions): Queryable {
  const waiting = new Set<() => void>();
  let underWay = 0;

  async function turn(): Promise<void> {
    if (underWay < atOnce) {
      underWay += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.delete(resolve);
      reject(new NoTurnError(waitMs));
    }, waitMs);
    waiting.add(resolve);
    await promise.finally(() => clearTimeout(timer));
  }

  /** Gives the free place to the query that has waited longest. */
  function pass(): void {
    const [first] = waiting;
    if (first === undefined) {
      underWay -= 1;
      return;
    }
    waiting.delete(first);
    first();
  }

  return {
    async query(query: string | pg.QueryConfig<unknown[]>, values?: unknown[]) {
      await turn();
      try {
        return typeof query === 'string'
          ? await client.query(query, values)
          : await client.query(query);
      } finally {
        pass();
      }
    },
  };
}
