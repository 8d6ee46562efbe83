// What Outrider offers to programs.

export { type Config, loadConfig } from './config.ts';
export {
  type AcknowledgedPart,
  type ClaimedDelivery,
  type ClaimRequest,
  claimDeliveries,
  extendLeases,
  releaseClaims,
  saveProgress,
} from './db/claim.ts';
export {
  commitOutcomes,
  type Failed,
  failPermanent,
  markSent,
  type Outcome,
  type SendError,
  type Sent,
  scheduleRetry,
  type Verdict,
} from './db/commit.ts';
export { nextDueAt, nextWorkspaces } from './db/dispatch.ts';
export { type Server, type ServerOptions, startServer } from './db/embedded/server.ts';
export { ensureEventPartitions } from './db/events.ts';
export { type MigrateOptions, type MigrationReport, migrate } from './db/migrate/migrate.ts';
export { type Database, openDatabase } from './db/open.ts';
export { type Requeued, requeueDeliveries } from './db/operate.ts';
export {
  type ConnectionOptions,
  openClient,
  openPool,
  type PoolOptions,
  type Queryable,
} from './db/pool.ts';
export { type Recovered, recoverLeases, staleWorkspaces } from './db/recovery.ts';
export * from './errors.ts';
