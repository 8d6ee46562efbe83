// The outbox from end to end: an event is written in the transaction of a change, published, and processed once
// although it is delivered twice. The broker is a list in memory; `openBroker` has those for NATS, RabbitMQ, Redis and
// others.
//
//   npm run example examples/emit-and-process.ts

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { loadConfig, silentLog as log } from 'outrider';
import {
  type Broker,
  createPostgresStore,
  createRegistry,
  emitEvent,
  type OutboxEvent,
  processOnce,
  readEnvelope,
  startPublisher,
} from 'outrider/outbox';
import { inTransaction, openDatabase, openPool } from 'outrider/sql';

const delivered: OutboxEvent[] = [];
const published = new EventTarget();

/** At least once: it delivers each event twice. */
const broker: Broker = {
  name: 'memory',
  check: async () => ({ ok: true }),
  async publish(events) {
    delivered.push(...events, ...events);
    published.dispatchEvent(new Event('events'));
    return events.map(() => ({ ok: true }));
  },
  close: async () => undefined,
};

const events = createRegistry(); // the specified types; an application has its own: createRegistry({ … })
const database = await openDatabase(loadConfig());
const pool = openPool({ url: database.url, applicationName: 'outbox example' });
try {
  await inTransaction(pool, { idleMs: 10_000 }, async (tx) => {
    // Here the application changes its rows. A rollback takes the event back as well.
    const data = { totalCents: 1200, currency: 'EUR' };
    const order = { eventType: 'order_created', aggregateType: 'vendor_order' } as const;
    await emitEvent(tx, { ...order, aggregateId: randomUUID(), data }, events);
  });

  const arrival = once(published, 'events');
  const options = { pool, broker, log, batchSize: 50, maxAttempts: 10, order: 'none' } as const;
  const publisher = startPublisher({ ...options, pollMs: 500, drainMs: 5000 });
  await arrival;
  await publisher.stop();

  const store = createPostgresStore(pool); // or openIdempotencyStore('redis://…')
  for (const { payload } of delivered) {
    const { eventId, data } = readEnvelope(payload);
    const outcome = await processOnce(store, { consumer: 'mailer', eventId }, () => {
      console.log(`a mail about ${JSON.stringify(data)}`);
    });
    console.log(outcome); // acknowledge, unless it is `busy`
  }
} finally {
  await pool.end();
  await database.close();
}
