// The entry `outrider/outbox`: domain events that are written in the transaction of a change, published at least once,
// and processed once. docs/outbox.md and docs/outbox-consumers.md tell how.

// Emitting.

export { type EventToEmit, emitEvent, type Transaction } from './emit.ts';
export {
  createRegistry,
  type EventShape,
  type EventTypes,
  type Registry,
  type SpecifiedEvents,
  specifiedEvents,
} from './registry.ts';

// Publishing.

export type {
  Broker,
  BrokerFault,
  Checked,
  Confirmed,
  OutboxEvent,
  Published,
} from './broker.ts';
export { type BrokerOptions, openBroker } from './brokers/open-broker.ts';
export { type Publisher, type PublisherOptions, startPublisher } from './publisher.ts';

// Consuming.

export { type Envelope, readEnvelope } from './envelope.ts';
export { openIdempotencyStore } from './idempotency/open-store.ts';
export {
  createPostgresStore,
  openPostgresStore,
  type PostgresStoreOptions,
} from './idempotency/postgres.ts';
export { processInTransaction } from './idempotency/process-in-transaction.ts';
export { type EventToProcess, type Processed, processOnce } from './idempotency/process-once.ts';
export { openRedisStore, type RedisStoreOptions } from './idempotency/redis.ts';
export type { Claimed, EventKey, IdempotencyStore, Lease } from './idempotency/store.ts';
