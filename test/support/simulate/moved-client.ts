// The database at a time that is moved: the calls of a dispatcher, which never passes the time, get it as their last
// argument. Knows the calls under way, and the first that failed.

import type pg from 'pg';
import type { Answer, Queryable } from '../../../src/db/pool.ts';

/** How many arguments the dispatcher's calls have without the time. */
const withoutTime: Readonly<Record<string, number>> = {
  claim_deliveries: 4,
  commit_outcomes: 2,
  commit_sent: 4,
  extend_leases: 2,
  next_due_at: 0,
  next_workspaces: 2,
  release_claims: 3,
};

export interface MovedClient extends Queryable {
  /** The names of the calls under way. */
  underWay(): readonly string[];
  /** Which call failed first, when, and why; undefined while none has failed. */
  fault(): string | undefined;
}

export function movedClient(client: Queryable, now: () => string): MovedClient {
  const calls = new Map<symbol, string>();
  let fault: string | undefined;

  function moved(config: pg.QueryConfig<unknown[]>): pg.QueryConfig<unknown[]> {
    const [name = ''] = config.name?.split('/') ?? [];
    const values = config.values ?? [];
    if (withoutTime[name] !== values.length) return config;
    const slot = `${values.length === 0 ? '' : ', '}$${values.length + 1})`;
    return {
      ...config,
      name: `${config.name} at`,
      text: config.text.replace(/\)$/, slot),
      values: [...values, now()],
    };
  }

  return {
    async query(query: string | pg.QueryConfig<unknown[]>, values?: unknown[]): Promise<Answer> {
      const call = Symbol();
      const name = typeof query === 'string' ? query : (query.name ?? query.text);
      calls.set(call, name);
      try {
        return await (typeof query === 'string'
          ? client.query(query, values)
          : client.query(moved(query)));
      } catch (error) {
        fault ??= `${name} at ${now()}: ${String(error)}`;
        throw error;
      } finally {
        calls.delete(call);
      }
    },
    underWay: () => [...calls.values()],
    fault: () => fault,
  };
}
