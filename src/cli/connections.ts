// How many connections to PostgreSQL a process has at most.

/**
 * Connections to the database, kept apart by what they are for. A flood of posts does not take those of claims, and
 * neither takes those that commit what was sent and extend leases: a send that is alive must not look dead.
 */
export const connections = { intake: 10, claims: 6, outcomes: 4 } as const;

/** Of a process with all roles: one more is to be told of new work. */
export const connectionsOfAll = Object.values(connections).reduce((sum, each) => sum + each, 1);
