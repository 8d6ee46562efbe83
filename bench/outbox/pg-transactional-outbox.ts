import { setTimeout as delay } from 'node:timers/promises';
import {
  DatabaseSetup,
  getDisabledLogger,
  initializeMessageStorage,
  initializePollingMessageListener,
  type PollingListenerConfig,
} from 'pg-transactional-outbox';
import { type Admin, openAdmin } from '../outrider/workload.ts';
import { aggregateType, eventData, eventRows, eventType } from './events.ts';
import type { Outbox, PreparedOutbox } from './outbox.ts';
import type { Link, Topic } from './topic.ts';

export interface PeerSettings {
  /** Messages that are under way at once. */
  readonly batchSize: number;
  /** Connections of handlers. Each handler has one message, in a transaction of its own. */
  readonly connections: number;
  readonly pollMs: number;
}

export const bestSettings: PeerSettings = {
  batchSize: 4000,
  connections: 50,
  pollMs: 10,
};

export function pgTransactionalOutbox(settings: PeerSettings = bestSettings): Outbox {
  return {
    name: 'pg-transactional-outbox',
    settings: { ...settings, concurrency: 'parallel', refill: 'when all are through', log: 'none' },
    prepare: (databaseUrl, topic) => prepare(databaseUrl, topic, settings),
  };
}

const schema = 'peer';
export const peerTable = `${schema}.outbox`;
export const nextMessages = 'next_outbox_messages';

/** The SQL that its own setup would write to a migration. */
export function peerSchema(databaseUrl: string): string {
  const setup = {
    outboxOrInbox: 'outbox',
    database: new URL(databaseUrl).pathname.slice(1),
    schema,
    table: 'outbox',
    listenerRole: 'current_user',
    nextMessagesName: nextMessages,
  } as const;
  return [
    DatabaseSetup.dropAndCreateTable(setup),
    DatabaseSetup.createPollingFunction(setup),
    DatabaseSetup.setupPollingIndexes(setup),
  ].join('\n');
}

export const peerSeeding = `
  insert into ${peerTable} (id, aggregate_type, aggregate_id, message_type, concurrency, payload, created_at)
  select r.id, '${aggregateType}', r.aggregate_id, '${eventType}', 'parallel', r.envelope, r.created_at
  from (${eventRows}) r`;

async function prepare(
  databaseUrl: string,
  topic: Topic,
  settings: PeerSettings,
): Promise<PreparedOutbox> {
  const admin = await openAdmin(databaseUrl);
  await admin.query(peerSchema(databaseUrl));
  const config = configOf(databaseUrl, settings);
  const store = initializeMessageStorage(config, getDisabledLogger());
  const ends: (() => Promise<unknown>)[] = [() => admin.end()];
  return {
    seed: async (count) => void (await admin.query(peerSeeding, [count])),
    async start(onStored) {
      const link = await topic.open();
      const [shutdown] = startListening(config, settings, link, onStored);
      ends.push(async () => {
        await shutdown();
        await link.close();
        await othersGone(admin);
      });
    },
    async emit() {
      await admin.query('begin');
      const id = crypto.randomUUID();
      const aggregateId = crypto.randomUUID();
      const payload = {
        version: 1,
        eventId: id,
        occurredAt: new Date().toISOString(),
        data: eventData,
      };
      const facts = { id, aggregateType, aggregateId, messageType: eventType, payload };
      await store({ ...facts, concurrency: 'parallel' }, admin);
      return { eventId: id, commit: async () => void (await admin.query('commit')) };
    },
    remaining: () => unpublished(admin),
    async close() {
      for (const end of ends.toReversed()) await end();
    },
  };
}

function configOf(databaseUrl: string, settings: PeerSettings): PollingListenerConfig {
  const connection = { connectionString: databaseUrl };
  const handlers: PollingListenerConfig['dbHandlerConfig'] & { max: number } = {
    ...connection,
    max: settings.connections,
  };
  return {
    outboxOrInbox: 'outbox',
    dbListenerConfig: connection,
    dbHandlerConfig: handlers,
    settings: {
      dbSchema: schema,
      dbTable: 'outbox',
      nextMessagesFunctionSchema: schema,
      nextMessagesFunctionName: nextMessages,
      nextMessagesBatchSize: settings.batchSize,
      nextMessagesPollingIntervalInMs: settings.pollMs,
      // A message waits for a connection, and its lock must hold until then.
      nextMessagesLockInMs: 120_000,
      messageProcessingTimeoutInMs: 60_000,
      // These are its own defaults for an outbox.
      enableMaxAttemptsProtection: false,
      enablePoisonousMessageProtection: false,
      messageCleanupIntervalInMs: 0,
    },
  };
}

function startListening(
  config: PollingListenerConfig,
  { batchSize }: PeerSettings,
  link: Link,
  onStored: (eventId: string) => void,
) {
  const handler = {
    async handle({ id, messageType, createdAt, payload, ...aggregate }: Message) {
      await link.send({
        eventId: id,
        eventType: messageType,
        aggregateType: aggregate.aggregateType,
        aggregateId: aggregate.aggregateId,
        payload: JSON.stringify(payload),
        createdAt,
      });
      onStored(id);
    },
  };
  return initializePollingMessageListener(config, handler, getDisabledLogger(), {
    // With a constant size it fetches another message after each one. Every fetch reads all waiting messages, and locks
    // the oldest one. A handler that meets that lock fails, and its message waits until its own lock has ended.
    batchSizeStrategy: async (underWay) => {
      if (underWay === 0) return batchSize;
      await delay(1);
      return 0;
    },
  });
}

type Handler = Extract<Parameters<typeof initializePollingMessageListener>[1], { handle: unknown }>;
type Message = Parameters<Handler['handle']>[0];

async function unpublished(admin: Admin): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::integer as count from ${peerTable} where processed_at is null`,
  );
  return rows[0]?.count ?? Number.NaN;
}

// Its connections end some time after its shutdown. If one is cut off before that, the whole process ends.
async function othersGone(admin: Admin): Promise<void> {
  for (;;) {
    const { rows } = await admin.query(
      `select from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    if (rows.length === 0) return;
    await delay(10);
  }
}
