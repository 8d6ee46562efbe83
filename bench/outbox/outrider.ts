import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { PublishOrder } from '../../src/db/outbox.ts';
import { createLog, type Log } from '../../src/log.ts';
import type { Broker } from '../../src/outbox/broker.ts';
import { openBroker } from '../../src/outbox/brokers/open-broker.ts';
import { emitEvent } from '../../src/outbox/emit.ts';
import { openOutrider } from '../../src/outrider.ts';
import { type Admin, openAdmin } from '../outrider/workload.ts';
import { aggregateType, eventData, eventRows, eventType } from './events.ts';
import type { Outbox, PreparedOutbox } from './outbox.ts';
import type { Topic } from './topic.ts';

export interface OutriderSettings {
  readonly batchSize: number;
  readonly order: PublishOrder;
}

/** The most that the setting allows; see `publish-sweep`. */
export const bestBatch = 1000;

export function outriderOutbox(settings: OutriderSettings): Outbox {
  const suffix = settings.order === 'aggregate' ? '-in-order' : '';
  return {
    name: `outrider${suffix}`,
    settings: { ...settings, connections: 3, log: 'info, to nowhere' },
    prepare: (databaseUrl, topic) => prepare(databaseUrl, topic, settings),
  };
}

/** The lines are made as in production, one for each event, but thrown away. */
const unreadLog: Log = createLog({ level: 'info', pretty: false, write: () => undefined });

async function prepare(
  databaseUrl: string,
  topic: Topic,
  settings: OutriderSettings,
): Promise<PreparedOutbox> {
  const database = await installOutbox(databaseUrl);
  const admin = await openAdmin(databaseUrl);
  const ends: (() => Promise<unknown>)[] = [() => admin.end()];
  return {
    seed: async (count) => void (await admin.query(seeding, [count])),
    async start(onStored) {
      const broker = await openBroker(topic.address, { log: unreadLog });
      const { batchSize, order } = settings;
      const outbox = { batchSize, order, maxAttempts: 10, pollMs: 500 };
      const outrider = await openOutrider(
        { drainMs: 10_000, outbox },
        {
          database,
          broker: watched(broker, onStored),
          worksAs: 'outrider_publisher',
          log: unreadLog,
        },
      );
      ends.push(async () => {
        await outrider.stop();
        await broker.close();
      });
      await outrider.start(['publish']);
    },
    async emit() {
      await admin.query('begin');
      const eventId = await emitEvent(admin, {
        eventType,
        aggregateType,
        aggregateId: crypto.randomUUID(),
        data: eventData,
      });
      return { eventId, commit: async () => void (await admin.query('commit')) };
    },
    remaining: () => unpublished(admin),
    async close() {
      for (const end of ends.toReversed()) await end();
    },
  };
}

/** Installs the schema. The result has the address under which a publisher logs in. */
export function installOutbox(databaseUrl: string): ReturnType<typeof openDatabase> {
  return openDatabase(
    loadConfig({
      DATABASE_URL: databaseUrl,
      OUTRIDER_DATA_DIR: path.join(os.tmpdir(), 'outrider-bench-nothing'),
    }),
  );
}

export const seeding = `
  insert into outrider.outbox_events (id, event_type, aggregate_type, aggregate_id, payload_json, created_at)
  select r.id, '${eventType}', '${aggregateType}', r.aggregate_id, r.envelope, r.created_at
  from (${eventRows}) r`;

function watched(broker: Broker, onStored: (eventId: string) => void): Broker {
  return {
    ...broker,
    async publish(events, signal) {
      const results = await broker.publish(events, signal);
      for (const [place, event] of events.entries()) {
        if (results[place]?.ok === true) onStored(event.eventId);
      }
      return results;
    },
  };
}

async function unpublished(admin: Admin): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::integer as count from outrider.outbox_events where published_at is null`,
  );
  return rows[0]?.count ?? Number.NaN;
}
