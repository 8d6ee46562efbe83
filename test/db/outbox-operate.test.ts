import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  fetchUnpublished,
  listOutboxEvents,
  markPublished,
  markPublishFailed,
  nextPublishAt,
  outboxStatus,
  type ReplayedEvent,
  replayOutboxEvents,
  skipOutboxEvents,
  writeEvent,
} from '../../src/db/outbox.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import {
  anEvent,
  asking,
  emit,
  emitMany,
  failEvents,
  giveUp,
  inTransaction,
  publishAll,
  storedEvent,
} from '../support/outbox/outbox-events.ts';

const database = await useDatabase();
const sessions = useSessions();

beforeEach(() => publishAll(database.admin));
async function list(
  filter: Partial<Parameters<typeof listOutboxEvents>[1]> = {},
): Promise<string[]> {
  const events = await listOutboxEvents(database.service, { failed: false, limit: 50, ...filter });
  return events.map((event) => event.eventId);
}

function replay(
  request: Partial<Parameters<typeof replayOutboxEvents>[1]>,
): Promise<ReplayedEvent[]> {
  return replayOutboxEvents(
    database.service,
    {
      eventIds: null,
      dryRun: false,
      operator: 'ann',
      reason: 'the broker takes them now',
      maxAttempts: asking().maxAttempts,
      ...request,
    },
    after(60),
  );
}

const idsOf = (events: readonly ReplayedEvent[]): string[] =>
  events.filter((event) => event.replayed).map((event) => event.eventId);

const paused = (): Promise<string> =>
  writeEvent(database.admin, { ...anEvent(), eventType: 'ad_paused' });

async function wouldTake(now: string): Promise<string[]> {
  const events = await inTransaction(database.service, (client) =>
    fetchUnpublished(client, asking(), now),
  );
  return events.map((event) => event.eventId);
}

describe('a list', () => {
  it('has what is not published, the newest first, page by page', async () => {
    const ids = await emitMany(database.admin, 5);
    await markPublished(database.admin, ids.slice(2, 3));
    const newestFirst = ids.toSpliced(2, 1).toReversed();
    expect(await list()).toEqual(newestFirst);
    expect(await list({ limit: 3 })).toEqual(newestFirst.slice(0, 3));
    expect(await list({ limit: 3, before: newestFirst[2] })).toEqual(newestFirst.slice(3));
  });

  it('says what went wrong, and when it will be tried again', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    const [failure] = await failEvents(database.service, [id]);
    expect(await listOutboxEvents(database.service, { failed: true, limit: 5 })).toEqual([
      {
        eventId: id,
        eventType: 'ad_activated',
        aggregateType: 'ad',
        aggregateId: expect.any(String),
        createdAt: expect.any(Date),
        attemptCount: 1,
        lastError: 'the broker refused it',
        failedAt: new Date(start),
        notBefore: new Date(`${failure?.nextAttemptAt?.replace(' ', 'T')}:00`),
        givenUp: null,
      },
    ]);
  });

  it('of failures has the latest first, page by page', async () => {
    const [a = '', b = '', c = '', d = '', ...rest] = await emitMany(database.admin, 6);
    for (const [index, id] of [c, a, d, b].entries()) {
      await failEvents(database.service, [id], after(index));
    }
    expect(rest).toHaveLength(2);
    expect(await list({ failed: true })).toEqual([b, d, a, c]);
    expect(await list({ failed: true, limit: 2 })).toEqual([b, d]);
    expect(await list({ failed: true, limit: 2, before: d })).toEqual([a, c]);
    expect(await list({ failed: true, limit: 2, before: c })).toEqual([]);
  });

  it('pages through failures of the same instant without losing or repeating one', async () => {
    const ids = await emitMany(database.admin, 7);
    await failEvents(database.service, ids);
    const pages: string[] = [];
    for (let page = await list({ failed: true, limit: 3 }); page.length > 0; ) {
      pages.push(...page);
      page = await list({ failed: true, limit: 3, before: page.at(-1) });
    }
    expect(pages).toEqual(ids.toSorted().toReversed());
  });

  it('of a type has no other', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    const other = await paused();
    await failEvents(database.service, [id, other]);
    for (const failed of [true, false]) {
      expect(await list({ failed, eventType: 'ad_paused' })).toEqual([other]);
      expect(await list({ failed, eventType: 'ad_expired' })).toEqual([]);
    }
  });

  it('does not start behind an event that is not there, or has not failed', async () => {
    const unknown = randomUUID();
    await expect(list({ before: unknown })).rejects.toMatchObject({
      sqlstate: 'OR002',
      message: `list_outbox_events: there is no event ${unknown}`,
    });
    const [id = ''] = await emitMany(database.admin, 1);
    await expect(list({ failed: true, before: id })).rejects.toMatchObject({
      sqlstate: 'OR001',
      message: expect.stringContaining(`before is ${id}, which has not failed`),
    });
  });
});

describe('a replay', () => {
  it('has what was given up tried again at once, with all attempts before it', async () => {
    const [dead = '', failed = ''] = await emitMany(database.admin, 2);
    await giveUp(database.service, [dead]);
    await failEvents(database.service, [failed], after(60));
    expect(await replay({})).toEqual([{ eventId: dead, replayed: true, note: null }]);
    expect(await storedEvent(database.admin, dead)).toMatchObject({
      attempt_count: 0,
      last_error: 'the broker refused it',
      published_at: null,
    });
    expect(await outboxStatus(database.service, 3, start)).toMatchObject({ failed: 0 });
    expect(await list({ failed: true })).toEqual([failed]);
    expect(await wouldTake(after(60))).toEqual([dead]);
    const [again] = await failEvents(database.service, [dead], after(60));
    expect(again).toMatchObject({ became: 'waiting', attemptCount: 1 });
    expect(await nextPublishAt(database.service, 3, after(60))).not.toBeNull();
  });

  it('of named events takes those in backoff, too, and refuses the rest, each with its reason', async () => {
    const [failed = '', fresh = '', published = ''] = await emitMany(database.admin, 3);
    await failEvents(database.service, [failed]);
    await markPublished(database.service, [published]);
    const unknown = randomUUID();
    const answers = await replay({ eventIds: [failed, fresh, published, unknown, failed] });
    const notes = new Map(answers.map((each) => [each.eventId, each.note]));
    expect(answers).toHaveLength(4);
    expect(idsOf(answers)).toEqual([failed]);
    expect(notes.get(fresh)).toBe('it has not failed since it was emitted or replayed');
    expect(notes.get(published)).toBe('it is published; to have it arrive again, emit it anew');
    expect(notes.get(unknown)).toBe('there is no such event');
  });

  it('of a type leaves the others', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    const other = await paused();
    await giveUp(database.service, [id, other]);
    expect(idsOf(await replay({ eventType: 'ad_paused' }))).toEqual([other]);
    expect(await replay({ eventIds: [id], eventType: 'ad_paused' })).toEqual([
      { eventId: id, replayed: false, note: 'it is of the type "ad_activated"' },
    ]);
  });

  it('leaves to a publisher what it has', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    await failEvents(database.service, [id]);
    const publisher = await sessions.open(database.service);
    await fetchUnpublished(publisher.client, asking(), after(60));
    expect(await replay({ eventIds: [id] })).toEqual([
      { eventId: id, replayed: false, note: 'it is being published at this moment' },
    ]);
  });

  it('in a dry run says the same, and does nothing', async () => {
    const ids = await emitMany(database.admin, 3);
    await giveUp(database.service, ids);
    const dry = await replay({ dryRun: true });
    expect(idsOf(dry)).toEqual(ids.toSorted());
    expect(await storedEvent(database.admin, ids[0] ?? '')).toMatchObject({ attempt_count: 3 });
    expect(await wouldTake(after(60))).toEqual([]);
    expect(await replay({})).toEqual(dry);
  });

  it('takes ten thousand at a time', async () => {
    await database.admin.query('alter table outrider.outbox_events disable trigger user');
    await database.admin.query(
      `with dead as (
         insert into outrider.outbox_events
           (id, event_type, aggregate_type, aggregate_id, payload_json, attempt_count, last_error)
         select x.id, 'ad_paused', 'ad', x.id,
           jsonb_build_object('version', 1, 'eventId', x.id, 'occurredAt', '', 'data', 1), 3, 'no'
         from (select gen_random_uuid() as id from generate_series(1, 10002) offset 0) x
         returning id
       )
       insert into outrider.outbox_backoff (event_id, attempt_count, not_before) select id, 3, $1 from dead`,
      [start],
    );
    await database.admin.query('alter table outrider.outbox_events enable trigger user');
    expect(idsOf(await replay({}))).toHaveLength(10_000);
    expect(idsOf(await replay({}))).toHaveLength(2);
    expect(await replay({})).toEqual([]);
    await publishAll(database.admin);
  });

  it('is kept, with who and why, without secrets', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    await giveUp(database.service, [id]);
    const token = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1';
    await replay({ dryRun: true, operator: 'nobody' });
    await replay({ operator: 'ann', reason: `the new token is ${token}` });
    await replay({ operator: 'nobody' });
    const kept = await queryRows(
      database.admin,
      z.object({ operator: z.string(), reason: z.string(), at: z.string(), event_ids: z.string() }),
      `select operator, reason, replayed_at::text as at, event_ids::text from outrider.outbox_replays
       where $1 = any (event_ids) or operator = 'nobody'`,
      [id],
    );
    expect(kept).toEqual([
      {
        operator: 'ann',
        reason: 'the new token is [token]',
        at: '2026-03-02 10:01:00+00',
        event_ids: `{${id}}`,
      },
    ]);
  });

  it('lets go what waits behind the event, once that is published', async () => {
    const aggregate = randomUUID();
    const head = await emit(database.admin, aggregate);
    const follower = await emit(database.admin, aggregate);
    await giveUp(database.service, [head]);
    const inOrder = (now: string): Promise<string[]> =>
      inTransaction(database.service, async (client) => {
        const events = await fetchUnpublished(client, asking(5, 'aggregate'), now);
        return events.map((event) => event.eventId);
      });
    expect(await inOrder(after(60))).toEqual([]);
    await replay({ eventIds: [head] });
    expect(await inOrder(after(60))).toEqual([head]);
    await markPublished(database.service, [head], after(60));
    expect(await inOrder(after(60))).toEqual([follower]);
  });
});

describe('passing over', () => {
  const skip = (eventIds: readonly string[], dryRun = false) =>
    skipOutboxEvents(
      database.service,
      { eventIds, dryRun, operator: 'ann', reason: 'nobody reads it', maxAttempts: 3 },
      after(60),
    );

  it('lets go what waits behind the event in its aggregate', async () => {
    const aggregate = randomUUID();
    const head = await emit(database.admin, aggregate);
    const followers = [
      await emit(database.admin, aggregate),
      await emit(database.admin, aggregate),
    ];
    await giveUp(database.service, [head]);
    const inOrder = (): Promise<string[]> =>
      inTransaction(database.service, async (client) => {
        const events = await fetchUnpublished(client, asking(5, 'aggregate'), after(60));
        return events.map((event) => event.eventId);
      });
    expect(await inOrder()).toEqual([]);
    expect(await skip([head], true)).toEqual([{ eventId: head, skipped: true, note: null }]);
    expect(await inOrder()).toEqual([]);
    expect(await skip([head])).toEqual([{ eventId: head, skipped: true, note: null }]);
    expect(await inOrder()).toEqual(followers);
  });

  it('is refused, with the reason, for events that are not given up', async () => {
    const [waiting = '', failed = '', published = '', given = ''] = await emitMany(
      database.admin,
      4,
    );
    await failEvents(database.service, [failed]);
    await markPublished(database.service, [published], start);
    await giveUp(database.service, [given]);
    await skip([given]);
    const missing = randomUUID();
    const notes = new Map(
      (await skip([waiting, failed, published, given, missing])).map((each) => [
        each.eventId,
        each.note,
      ]),
    );
    expect(notes.get(waiting)).toBe('it is not given up: it is still tried');
    expect(notes.get(failed)).toBe('it is not given up: it is still tried');
    expect(notes.get(published)).toBe('it is published, or was passed over before');
    expect(notes.get(given)).toBe('it is published, or was passed over before');
    expect(notes.get(missing)).toBe('there is no such event');
  });

  it('counts for an event that the broker has refused, after its first attempt', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    const failure = { eventId: id, error: 'too large', refused: true };
    const [failed] = await markPublishFailed(database.service, [failure], 3, start);
    expect(failed).toMatchObject({ became: 'given_up', givenUp: 'refused', nextAttemptAt: null });
    expect(await outboxStatus(database.service, 3, after(60))).toMatchObject({ failed: 1 });
    expect(await wouldTake(after(86_400 * 365))).toEqual([]);
    expect(await nextPublishAt(database.service, 3, start)).toBeNull();
    expect(await skip([id])).toEqual([{ eventId: id, skipped: true, note: null }]);
    expect(await outboxStatus(database.service, 3, after(60))).toMatchObject({ failed: 0 });
  });

  it('is kept, with who and why', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    await giveUp(database.service, [id]);
    await skip([id]);
    expect(await storedEvent(database.admin, id)).toMatchObject({
      published_at: '2026-03-02 10:01:00+00',
      last_error: 'passed over by ann: nobody reads it',
    });
    const kept = await database.admin.query<object>(
      'select operator, reason from outrider.outbox_skips where $1 = any (event_ids)',
      [id],
    );
    expect(kept.rows).toEqual([{ operator: 'ann', reason: 'nobody reads it' }]);
  });
});
