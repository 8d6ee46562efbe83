// The database at a time that is moved: the calls of a dispatcher, which never passes the time, get it as their last
// argument. Counts the calls under way.

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
  underWay(): number;
}

export function movedClient(client: Queryable, now: () => string): MovedClient {
  let count = 0;

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
      count += 1;
      try {
        return await (typeof query === 'string'
          ? client.query(query, values)
          : client.query(moved(query)));
      } finally {
        count -= 1;
      }
    },
    underWay: () => count,
  };
}
