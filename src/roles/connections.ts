// The connections of one process to PostgreSQL, a pool for each purpose.

import { openPool } from '../db/pool.ts';

/**
 * The most connections for each purpose. A flood of posts cannot use up the connections of claims. Neither can use up
 * those that commit outcomes and extend leases: a send that is alive must not look dead.
 */
export const connections = { intake: 10, claims: 6, outcomes: 4, publish: 3, status: 2 } as const;

/**
 * The most of `outrider up`. It publishes no events; two more connections listen for posts and for replies of bots. The
 * connections of the status page are open while somebody looks at it.
 */
export const connectionsOfUp =
  connections.intake + connections.claims + connections.outcomes + connections.status + 2;

export type Purpose = keyof typeof connections;

// Give up soon on a query that gets no answer: the work is asked for again on another connection.
const patience = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000, silenceMs: 2000 };

// Give up even sooner on a query that waits for a lock: a transaction that somebody left open must not hold up our
// connections.
const ofDeliveries = { warms: true, lockTimeoutMs: 1000 };

export function openConnections(url: string, purpose: Purpose): ReturnType<typeof openPool> {
  return openPool({
    url,
    applicationName: `outrider ${purpose}`,
    max: connections[purpose],
    ...patience,
    ...(purpose === 'publish' || purpose === 'status' ? {} : ofDeliveries),
    ...(purpose === 'status' ? { keep: 0, lockTimeoutMs: 1000 } : {}),
  });
}
