// What Outrider offers to programs.

export type {
  Adapter,
  Blob,
  ChangeOutcome,
  Edit,
  Part,
  PartDone,
  SendMedia,
  SendOptions,
  SendOutcome,
  SendRequest,
  SentPost,
} from './adapters/adapter.ts';
export { type Credentials, createCredentials } from './adapters/credentials.ts';
export { createMaxAdapter } from './adapters/max/max.ts';
export { createTelegramAdapter } from './adapters/telegram/telegram.ts';
export { createTransport, type Transport, type TransportOptions } from './adapters/transport.ts';
export { createVkAdapter } from './adapters/vk/vk.ts';
export { type Config, loadConfig } from './config.ts';
export { moveChannel } from './db/channels.ts';
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
export {
  type Admission,
  admitIngress,
  type ChannelVerdict,
  type Enqueued,
  type EnqueuedBatch,
  enqueueBatch,
  enqueueMessagesAndDeliveries,
} from './db/intake.ts';
export { forgetMediaBlob, keepMediaBlob, keepMediaOrigin } from './db/media.ts';
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
export { ingestPullChunk, type PulledChunk, type PulledItem } from './db/pull.ts';
export { type Recovered, recoverLeases, staleWorkspaces } from './db/recovery.ts';
export { createDeliver, type Deliver, type Senders } from './dispatch/deliver.ts';
export * from './errors.ts';
export { folderStore } from './media/folder-store.ts';
export type { OriginStore, StoredBlob } from './media/origin-store.ts';
