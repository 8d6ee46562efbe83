import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FetchedEvent,
  fetchUnpublished,
  markPublished,
  markPublishFailed,
  type PublishOrder,
} from '../../src/db/outbox.ts';
import { after } from '../support/database/seed.ts';
import { type Session } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import {
  aggregateId,
  asking,
  emit,
  inTransaction,
  publishAll,
} from '../support/outbox/outbox-events.ts';

const database = await useDatabase();
const sessions = useSessions();

beforeEach(() => publishAll(database.admin));
/** Publishes all that can be seen, as a publisher that never sleeps; answers with the ids. */
async function publishVisible(order: PublishOrder): Promise<string[]> {
  return inTransaction(database.service, async (client) => {
    const ids = (await fetchUnpublished(client, asking(1000, order))).map((event) => event.eventId);
    if (ids.length > 0) await markPublished(client, ids);
    return ids;
  });
}

describe('transactions that are open at once', () => {
  // Of each writer: how many events it writes, and whether it commits.
  const writers = fc.array(
    fc.record({ events: fc.integer({ min: 1, max: 4 }), commits: fc.boolean() }),
    {
      minLength: 2,
      maxLength: 4,
    },
  );

  it.each(['none', 'aggregate'] as const)(
    'lose no event and double none, however they are interleaved and in whatever order they end: %s',
    async (order) => {
      await fc.assert(
        fc.asyncProperty(writers, fc.infiniteStream(fc.nat({ max: 999 })), async (each, chance) => {
          await publishAll(database.admin);
          const open: { session: Session; left: number; commits: boolean; ids: string[] }[] = [];
          for (const { events, commits } of each) {
            const session = await sessions.open(database.admin);
            open.push({ session, left: events, commits, ids: [] });
          }
          const committed: string[] = [];
          const published: string[] = [];
          while (open.length > 0) {
            const index = (chance.next().value ?? 0) % open.length;
            const writer = open[index];
            if (writer === undefined) break;
            if (writer.left > 0) {
              writer.ids.push(await emit(writer.session.client, aggregateId(index % 2)));
              writer.left -= 1;
            } else {
              open.splice(index, 1);
              await writer.session.client.query(writer.commits ? 'commit' : 'rollback');
              if (writer.commits) committed.push(...writer.ids);
            }
            published.push(...(await publishVisible(order)));
          }
          await sessions.endAll();
          expect(published.toSorted()).toEqual(committed.toSorted());
        }),
        { numRuns: 40 },
      );
    },
    120_000,
  );
});

describe('a line whose head another publisher has', () => {
  it('is not held up by a publisher that takes other lines', async () => {
    const line = randomUUID();
    const [head, ...followers] = [
      await emit(database.admin, line),
      await emit(database.admin, line),
      await emit(database.admin, line),
    ];
    const other = await emit(database.admin);
    const [a, b] = [await sessions.open(database.service), await sessions.open(database.service)];
    const take = async (session: Session, limit: number): Promise<string[]> => {
      const events = await fetchUnpublished(session.client, asking(limit, 'aggregate'));
      return events.map((event) => event.eventId);
    };
    expect(await take(a, 1)).toEqual([head]);
    expect(await take(b, 10)).toEqual([other]);
    await markPublished(a.client, [head]);
    await a.commit();
    const again = await sessions.open(database.service);
    expect(await take(again, 10)).toEqual(followers);
  });
});

interface Traffic {
  /** In the order of emission, aggregate by aggregate. */
  readonly emitted: Map<string, string[]>;
  /** In the order of publication. */
  readonly published: FetchedEvent[];
  readonly faults: string[];
}

/** Writers and publishers at once, until everything is published. A third of the first attempts fail. */
async function runTraffic(order: PublishOrder): Promise<Traffic> {
  const emitted = new Map<string, string[]>();
  const published: FetchedEvent[] = [];
  const faults: string[] = [];
  const held = new Set<string>();
  const putOff = new Map<string, string>();
  let writing = 4;
  let seconds = 0;

  async function write(writer: number): Promise<void> {
    for (let n = 0; n < 40; n += 1) {
      const aggregate = aggregateId((n * 7 + writer) % 5);
      const client = await database.admin.connect();
      await client.query('begin');
      // As an application does: the aggregate is locked while it is changed.
      await client.query('select pg_advisory_xact_lock(hashtext($1))', [aggregate]);
      const ids = [await emit(client, aggregate), await emit(client, aggregate)];
      const isCommit = n % 5 !== 4;
      // Before anybody else can have the lock.
      if (isCommit) emitted.set(aggregate, [...(emitted.get(aggregate) ?? []), ...ids]);
      await client.query(isCommit ? 'commit' : 'rollback');
      client.release();
    }
    writing -= 1;
  }

  async function publish(): Promise<void> {
    for (let idle = 0; idle < 20; ) {
      const client = await database.service.connect();
      seconds += 0.25;
      const now = after(seconds);
      await client.query('begin');
      const batch = await fetchUnpublished(client, { ...asking(7, order), maxAttempts: 100 }, now);
      await settle(client, batch, now);
      client.release();
      if (batch.length > 0 || writing > 0) idle = 0;
      else idle += 1;
    }
  }

  async function settle(
    client: pg.PoolClient,
    batch: readonly FetchedEvent[],
    now: string,
  ): Promise<void> {
    for (const { eventId } of batch) {
      if (held.has(eventId)) faults.push(`${eventId} was given to two at once`);
      if ((putOff.get(eventId) ?? '') > now) faults.push(`${eventId} was given before its time`);
      held.add(eventId);
    }
    const broken = new Set<string>();
    const good: FetchedEvent[] = [];
    const bad: FetchedEvent[] = [];
    for (const event of batch) {
      if (order === 'aggregate' && broken.has(event.aggregateId)) continue;
      const fails = event.attemptCount < Number.parseInt(event.eventId.slice(-1), 16) % 3;
      (fails ? bad : good).push(event);
      if (fails) broken.add(event.aggregateId);
    }
    if (good.length > 0) {
      const ids = good.map((event) => event.eventId);
      const marked = await markPublished(client, ids, now);
      if (marked.length < ids.length) faults.push('an event was published twice');
    }
    if (bad.length > 0) {
      const failures = bad.map((event) => ({ eventId: event.eventId, error: 'no' }));
      for (const failed of await markPublishFailed(client, failures, 100, now)) {
        putOff.set(
          failed.eventId,
          new Date(`${failed.nextAttemptAt?.replace(' ', 'T')}:00`).toISOString(),
        );
      }
    }
    published.push(...good);
    for (const { eventId } of batch) held.delete(eventId);
    await client.query('commit');
  }

  await Promise.all([...[0, 1, 2, 3].map(write), publish(), publish(), publish(), publish()]);
  return { emitted, published, faults };
}

describe.each(['none', 'aggregate'] as const)(
  'four writers and four publishers at once: %s',
  (order) => {
    let traffic: Traffic;

    beforeAll(async () => {
      await publishAll(database.admin);
      traffic = await runTraffic(order);
    }, 120_000);

    it('have no event twice, none at once, and none before its backoff is over', () => {
      expect(traffic.faults).toEqual([]);
    });

    it('publish everything that was committed, and nothing else', () => {
      const ids = traffic.published.map((event) => event.eventId);
      expect(ids.toSorted()).toEqual([...traffic.emitted.values()].flat().toSorted());
      expect(ids.length).toBeGreaterThan(200);
    });

    it.runIf(order === 'aggregate')(
      'publish the events of an aggregate in the order of its changes',
      () => {
        const byAggregate = Map.groupBy(traffic.published, (event) => event.aggregateId);
        for (const [aggregate, ids] of traffic.emitted) {
          expect(byAggregate.get(aggregate)?.map((event) => event.eventId)).toEqual(ids);
        }
      },
    );
  },
);
