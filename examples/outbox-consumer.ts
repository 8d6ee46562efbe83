// A complete consumer of outbox events on Redis Streams. It confirms orders: for each `order_created` it writes one
// row, however often the event comes and however often that fails. The comments say what a crash does where it matters.
//
//   export REDIS_URL=redis://127.0.0.1:6379 DATABASE_URL=postgresql://…
//   npm run example examples/outbox-consumer.ts
//
//   EVENTS_STREAM     the stream that `outrider publish` writes to   (pf-domain-events)
//   IDEMPOTENCY_URL   where the marks of processed events are kept   (REDIS_URL)
//   IN_TRANSACTION    1: a mark is kept beside the effect, see below
//   TTL_HOURS         how long a mark is kept, 168 to 720            (168)
//   LEASE_MS          how long an event stays with a process that has died       (30000)
//   RETRY_MS          how long before an event that failed is delivered again    (30000)
//
// Run as many of them as you like. Four rules make it safe:
//   1. The event is claimed before the effect and marked after it: processOnce does that.
//   2. It is acknowledged after the mark, and never before.
//   3. What was not acknowledged is delivered again: after a failure, a crash, or `busy`.
//   4. A stop finishes the event in hand and leaves the rest to the others.

import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  openIdempotencyStore,
  type Processed,
  processInTransaction,
  processOnce,
  readEnvelope,
} from 'outrider/outbox';
import { openPool, type Queryable } from 'outrider/sql';
import { z } from 'zod';

// oxlint-disable-next-line no-restricted-properties -- a program of its own: this is its configuration
const { env } = process;
const given = z
  .object({
    REDIS_URL: z.string(),
    DATABASE_URL: z.string(),
    EVENTS_STREAM: z.string().default('pf-domain-events'),
    IDEMPOTENCY_URL: z.string().optional(),
    IN_TRANSACTION: z.string().optional(),
    TTL_HOURS: z.coerce.number().default(168),
    LEASE_MS: z.coerce.number().default(30_000),
    RETRY_MS: z.coerce.number().default(30_000),
  })
  .safeParse(env);
if (!given.success) {
  console.error(z.prettifyError(given.error));
  process.exit(2);
}
const settings = given.data;

// The consumer's name is also the name of its group. All its processes share it. Another consumer of the same events
// has another name, and processes each event for itself.
const consumer = 'order-confirmations';
const stream = settings.EVENTS_STREAM;
const ttlMs = settings.TTL_HOURS * 3_600_000;
const leaseMs = settings.LEASE_MS;
const me = `${os.hostname()}-${process.pid}`;

// A connection that breaks says so twice: the call fails, and an event comes. Unheard, the event would end the process.
const leaveItToTheCall = (): void => undefined;

const redis = new Redis(settings.REDIS_URL, {
  maxRetriesPerRequest: null, // wait for a server that is away
  socketTimeout: 5000, // give up a connection that has gone silent; a read waits for a second
});
redis.on('error', leaveItToTheCall);
const database = openPool({
  url: settings.DATABASE_URL,
  applicationName: `${consumer} ${process.pid}`,
});
const store = await openIdempotencyStore(settings.IDEMPOTENCY_URL ?? settings.REDIS_URL);

// Only the fields that are used here: those that a later version adds do no harm.
const OrderCreated = z.object({ totalCents: z.int(), currency: z.string() });

interface Order {
  readonly eventId: string;
  readonly orderId: string;
  readonly total: string;
}

/** Throws if this is not an event that we know. */
function readOrder(attributes: ReadonlyMap<string, string>): Order {
  const envelope = readEnvelope(attributes.get('payload') ?? '');
  if (envelope.version !== 1) throw new Error(`version ${envelope.version} is not known here`);
  if (envelope.eventId !== attributes.get('event_id')) throw new Error('two ids for one event');
  const { totalCents, currency } = OrderCreated.parse(envelope.data);
  return {
    eventId: envelope.eventId,
    orderId: attributes.get('aggregate_id') ?? '',
    total: `${totalCents / 100} ${currency}`,
  };
}

// The effect. It knows nothing of repeats.
async function confirmOrder(client: Queryable, order: Order): Promise<void> {
  await client.query(
    'insert into order_confirmations (event_id, order_id, total) values ($1, $2, $3)',
    [order.eventId, order.orderId, order.total],
  );
}

function processOrder(order: Order): Promise<Processed> {
  const { eventId } = order;
  if (settings.IN_TRANSACTION === '1') {
    // Where the effect is in the same database as the schema `outrider`, effect and mark are committed together: a
    // crash cannot come between them. This is the strongest form; take it where you can.
    return inTransaction((client) =>
      processInTransaction(client, { consumer, eventId, ttlMs }, () => confirmOrder(client, order)),
    );
  }
  // Everywhere else: mails, calls of other services, other databases. Effect and mark are a moment apart, and a crash
  // between them repeats the effect. So pass eventId on to the service that you call, if it takes such a key.
  return processOnce(store, { consumer, eventId, ttlMs, leaseMs }, (signal) =>
    inTransaction(async (client) => {
      await confirmOrder(client, order);
      signal.throwIfAborted(); // the lease is lost: another process may have the event
    }),
  );
}

async function inTransaction<Result>(
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect();
  client.on('error', leaveItToTheCall);
  let fault: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    fault = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', leaveItToTheCall);
    client.release(fault); // a connection that failed is closed, which undoes what it had begun
  }
}

const Entry = z.tuple([z.string(), z.array(z.string())]);
type Entry = z.output<typeof Entry>;
const Read = z.array(z.tuple([z.string(), z.array(Entry)])).nullable();
const Claimed = z.tuple([z.string(), z.array(Entry.nullable())]).rest(z.unknown());

async function takeEntry([id, fields]: Entry): Promise<void> {
  const attributes = new Map<string, string>();
  for (const [at, text] of fields.entries()) {
    if (at % 2 === 1) attributes.set(fields[at - 1] ?? '', text);
  }
  if (attributes.get('event_type') !== 'order_created') return acknowledge(id, 'not for us');

  let order: Order;
  try {
    order = readOrder(attributes);
  } catch (error) {
    // It will not become valid by waiting. A person looks at it; the other events go on.
    await redis.xadd(`${stream}:invalid`, '*', ...fields);
    return acknowledge(id, 'invalid', attributes.get('event_id'), String(error));
  }

  let outcome: Processed;
  try {
    outcome = await processOrder(order);
  } catch (error) {
    return say(id, 'failed', order.eventId, String(error)); // stays pending; comes again after RETRY_MS
  }
  // Another process has it. Whatever becomes of it there, do not acknowledge it here.
  if (outcome === 'busy') return say(id, outcome, order.eventId);
  return acknowledge(id, outcome, order.eventId);
}

async function acknowledge(...[id, ...rest]: Parameters<typeof say>): Promise<void> {
  await redis.xack(stream, consumer, id);
  say(id, ...rest);
}

function say(entry: string, outcome: string, eventId?: string, error?: string): void {
  console.log(JSON.stringify({ entry, outcome, event_id: eventId, error }));
}

let cursor = '0-0';

/** Entries that any process has left unacknowledged for RETRY_MS; else new ones, waiting up to a second for them. */
async function nextEntries(): Promise<Entry[]> {
  const left = await redis.xautoclaim(stream, consumer, me, settings.RETRY_MS, cursor, 'COUNT', 10);
  const [next, claimed] = Claimed.parse(left);
  cursor = next; // 0-0 at the end: the next call starts from the beginning
  const entries = claimed.filter((entry) => entry !== null);
  if (entries.length > 0) return entries;
  const read: unknown = await redis.xreadgroup(
    'GROUP',
    consumer,
    me,
    'COUNT',
    10,
    'BLOCK',
    1000,
    'STREAMS',
    stream,
    '>',
  );
  return Read.parse(read)?.flatMap(([, news]) => news) ?? [];
}

async function joinGroup(): Promise<void> {
  // From the first event of the stream on: a new consumer gets them all.
  await redis.xgroup('CREATE', stream, consumer, '0', 'MKSTREAM').catch((error: unknown) => {
    if (!String(error).includes('BUSYGROUP')) throw error; // it is there already
  });
}

let isStopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    isStopping = true;
  });
}

console.log(JSON.stringify({ outcome: 'running', consumer, process: me }));
while (!isStopping) {
  try {
    await joinGroup();
    for (const entry of await nextEntries()) {
      if (!isStopping) await takeEntry(entry); // the rest stay pending: other processes get them
    }
  } catch (error) {
    console.error(`the stream cannot be read, trying again: ${String(error)}`);
    await delay(1000);
  }
}
await store.close();
await database.end();
redis.disconnect();
