// The connections to PostgreSQL of one process, kept apart by what they are for.

import { openPool } from '../db/pool.ts';

/**
 * The most connections for each purpose. A flood of posts does not take those of claims, and neither takes those that
 * commit what was sent and extend leases: a send that is alive must not look dead.
 */
export const connections = { intake: 10, claims: 6, outcomes: 4, publish: 3 } as const;

/** Of `outrider up`, which publishes no events: one more is to be told of new work. */
export const connectionsOfUp = connections.intake + connections.claims + connections.outcomes + 1;

export type Purpose = keyof typeof connections;

// A query that gets no answer is given up soon: the work is asked for again on another connection.
const patience = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000, silenceMs: 2000 };

// So is one that waits for a lock: whose transaction is left open keeps nobody else's connection.
const ofDeliveries = { warms: true, lockTimeoutMs: 1000 };

export function openConnections(url: string, purpose: Purpose): ReturnType<typeof openPool> {
  return openPool({
    url,
    applicationName: `outrider ${purpose}`,
    max: connections[purpose],
    ...patience,
    ...(purpose === 'publish' ? {} : ofDeliveries),
  });
}
