// What Outrider offers to programs.

export type {
  Adapter,
  Blob,
  ChangeOutcome,
  CredentialCheck,
  Edit,
  Part,
  SendMedia,
  SendOptions,
  SendOutcome,
  SendRequest,
  SentPost,
} from './adapters/adapter.ts';
export { createMaxAdapter } from './adapters/max/adapter.ts';
export type { AdapterOptions, Pace, Platform } from './adapters/platform.ts';
export { platforms } from './adapters/platforms.ts';
export { createTelegramAdapter } from './adapters/telegram/adapter.ts';
export { createVkAdapter } from './adapters/vk/adapter.ts';
export { type Config, loadConfig } from './config.ts';
export { applyWorkspace, type Change, moveChannel } from './db/apply.ts';
export {
  type AcknowledgedPart,
  type CallRequest,
  type ClaimedDelivery,
  type ClaimRequest,
  claimDeliveries,
  extendLeases,
  releaseClaims,
  saveProgress,
  takeCall,
} from './db/claim.ts';
export { coalescedWake } from './db/coalesced-wake.ts';
export {
  commitOutcomes,
  commitSent,
  type ErrorCause,
  type Failed,
  failPermanent,
  type GivenError,
  markSent,
  type Outcome,
  type SendError,
  type Sent,
  scheduleRetry,
  type Verdict,
} from './db/commit.ts';
export { nextDueAt, nextWorkspaces, wakeDispatchers } from './db/dispatch.ts';
export { type Server, type ServerOptions, startServer } from './db/embedded/server.ts';
export { ensureEventPartitions } from './db/events.ts';
export {
  type DeliveryFilter,
  listChannels,
  listCredentials,
  listDeliveries,
  listWorkspaces,
  showDelivery,
  showWorkspace,
} from './db/inspect.ts';
export {
  type Admission,
  admitIngress,
  type ChannelVerdict,
  type Enqueued,
  type EnqueuedBatch,
  enqueueBatch,
  enqueueMessagesAndDeliveries,
  ingestPullChunk,
  type PulledChunk,
  type PulledItem,
} from './db/intake.ts';
export { type Listener, type ListenOptions, listenForWakes } from './db/listen.ts';
export { forgetMediaBlob, keepMediaBlob, keepMediaOrigin } from './db/media.ts';
export { type MigrateOptions, type MigrationReport, migrate } from './db/migrate/migrate.ts';
export { type Database, openDatabase } from './db/open.ts';
export {
  type ChannelOrder,
  disableChannels,
  enableChannels,
  type OpenedGroup,
  type Order,
  type OrderedChannel,
  pauseChannels,
  type Requeued,
  reopenCredential,
  requeueDeliveries,
  resumeChannels,
} from './db/operate.ts';
export {
  type ConnectionOptions,
  openClient,
  openPool,
  type PoolOptions,
  type Queryable,
} from './db/pool.ts';
export { type Recovered, recoverLeases, staleWorkspaces } from './db/recovery.ts';
export { createDeliver, type Deliver, type Senders, type SendLease } from './dispatch/deliver.ts';
export { type Dispatcher, type DispatcherOptions, startDispatcher } from './dispatch/dispatcher.ts';
export { startUpkeep, type UpkeepOptions } from './dispatch/upkeep.ts';
export * from './errors.ts';
export type { GivenConfig } from './given-config.ts';
export { createTransport, type Transport, type TransportOptions } from './http/transport.ts';
export { type IngestOptions, startIngest } from './ingest/ingest.ts';
export { createLog, type Log, type LogLevel, type LogOptions, silentLog } from './log.ts';
export { folderStore } from './media/folder-store.ts';
export { importMedia } from './media/import-media.ts';
export {
  createMediaFetcher,
  type MediaFetcher,
  type MediaFetcherOptions,
} from './media/media-fetcher.ts';
export type { OriginStore, StoredBlob } from './media/origin-store.ts';
export type {
  Broker,
  BrokerFault,
  Checked,
  Confirmed,
  OutboxEvent,
  Published,
} from './outbox/broker.ts';
export { type BrokerOptions, openBroker } from './outbox/brokers/open-broker.ts';
export { type EventToEmit, emitEvent, type Transaction } from './outbox/emit.ts';
export { type Envelope, readEnvelope } from './outbox/envelope.ts';
export { openIdempotencyStore } from './outbox/idempotency/open-store.ts';
export { createPostgresStore, openPostgresStore } from './outbox/idempotency/postgres.ts';
export { processInTransaction } from './outbox/idempotency/process-in-transaction.ts';
export {
  type EventToProcess,
  type Processed,
  processOnce,
} from './outbox/idempotency/process-once.ts';
export { openRedisStore, type RedisStoreOptions } from './outbox/idempotency/redis.ts';
export type { Claimed, EventKey, IdempotencyStore, Lease } from './outbox/idempotency/store.ts';
export { type Publisher, type PublisherOptions, startPublisher } from './outbox/publisher.ts';
export {
  createRegistry,
  type EventShape,
  type EventTypes,
  type Registry,
  specifiedEvents,
} from './outbox/registry.ts';
export {
  type Inspect,
  type Intervals,
  type NewPost,
  type Outrider,
  type OutriderMeans,
  openOutrider,
  type Pools,
  type Readiness,
  type RoleName,
} from './outrider.ts';
export { createSecrets, type ReadSecret, type Secrets } from './secrets.ts';
export type { Health, Service } from './service.ts';
