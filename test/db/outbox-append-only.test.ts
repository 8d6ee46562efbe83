import { beforeAll, describe, expect, it } from 'vitest';
import { markPublished, purgeOutboxEvents } from '../../src/db/outbox.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { emit, failEvents, storedEvent } from '../support/outbox/outbox-events.ts';

const database = await useDatabase();

/** One that waits, one that failed, one that is published. */
let waiting: string;
let failed: string;
let published: string;
let twice: string;

beforeAll(async () => {
  waiting = await emit(database.admin);
  failed = await emit(database.admin);
  published = await emit(database.admin);
  twice = await emit(database.admin);
  await failEvents(database.admin, [failed, twice]);
  await failEvents(database.admin, [twice]);
  await markPublished(database.admin, [published], start);
});

/** Tries a statement as a role, undoes it, and says what it met. */
async function attempt(role: string, text: string, values: unknown[] = []): Promise<string> {
  const client = await database.admin.connect();
  try {
    await client.query('begin');
    await client.query(`set local role ${role}`);
    const { rowCount } = await client.query(text, values);
    return `done: ${rowCount}`;
  } catch (error) {
    return String(error);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const set = (column: string, value: string, id: string): Promise<string> =>
  attempt('postgres', `update outrider.outbox_events set ${column} = ${value} where id = $1`, [id]);

const other = '00000000-0000-4000-8000-000000000099';
const otherValues = {
  id: `'${other}', payload_json = payload_json || '{"eventId": "${other}"}'`,
  event_type: "'ad_paused'",
  aggregate_type: "'store'",
  aggregate_id: 'gen_random_uuid()',
  payload_json: `payload_json || '{"data": 1}'`,
  created_at: "created_at + interval '1 second'",
};

describe('what an event says', () => {
  it.each(Object.entries(otherValues))(
    'is not changed, not even by a superuser: %s',
    async (column, value) => {
      for (const id of [waiting, failed, published]) {
        expect(await set(column, value, id)).toMatch(
          new RegExp(`^error: event ${id} cannot be changed: the outbox is append-only$`),
        );
      }
    },
  );

  it.each(Object.keys(otherValues))('may be written anew as it is: %s', async (column) => {
    expect(await set(column, column, waiting)).toBe('done: 1');
  });
});

describe('what became of an event', () => {
  it('is recorded while it waits', async () => {
    expect(await set('published_at', 'now()', waiting)).toBe('done: 1');
    expect(await set('last_error', "'no'", waiting)).toBe('done: 1');
    expect(await set('attempt_count', "attempt_count + 1, last_error = 'no'", waiting)).toBe(
      'done: 1',
    );
    expect(await set('attempt_count', '0', failed)).toBe('done: 1');
  });

  it.each([
    ['attempts are counted one by one', 'attempt_count', 'attempt_count + 2', 'failed'],
    ['attempts do not go back but to none', 'attempt_count', 'attempt_count - 1', 'twice failed'],
    ['a publication is not taken back', 'published_at', 'null', 'published'],
    [
      'a publication is not moved',
      'published_at',
      "published_at + interval '1 second'",
      'published',
    ],
    ['a published event is not tried', 'attempt_count', '1', 'published'],
    ['a published event gets no error', 'last_error', "'no'", 'published'],
  ])('stays true: %s', async (_title, column, value, which) => {
    const id = { failed, published, 'twice failed': twice }[which] ?? '';
    expect(await set(column, value, id)).toBe(
      `error: event ${id} cannot be changed: the outbox is append-only`,
    );
  });

  it('has an error if it was tried', async () => {
    expect(await set('attempt_count', '1', waiting)).toMatch(/a_failed_attempt_leaves_its_error/);
    expect(await set('last_error', "repeat('x', 1001)", waiting)).toMatch(
      /last_error_is_cut_short/,
    );
  });
});

const roles = [
  'outrider_owner',
  'outrider_service',
  'outrider_emitter',
  'outrider_publisher',
  'outrider_retention',
];
const statements = {
  'insert into': 'insert into outrider.outbox_events default values',
  update: 'update outrider.outbox_events set published_at = now()',
  'delete from': 'delete from outrider.outbox_events',
  truncate: 'truncate outrider.outbox_events',
};
const byHand = roles
  .filter((role) => role !== 'outrider_owner')
  .flatMap((role) => Object.entries(statements).map(([title, text]) => ({ role, title, text })));

describe('the table', () => {
  it.each(byHand)('is not open to $role: $title', async ({ role, text }) => {
    expect(await attempt(role, text)).toMatch(/^error: permission denied/);
  });

  it.each(['postgres', 'outrider_owner'])('is not deleted from by %s', async (role) => {
    expect(await attempt(role, 'delete from outrider.outbox_events')).toBe(
      `error: login "${role}" may not delete events`,
    );
  });

  it.each(['postgres', 'outrider_owner'])('is not truncated by %s', async (role) => {
    expect(await attempt(role, 'truncate outrider.outbox_events')).toBe(
      'error: the outbox cannot be truncated',
    );
  });

  it('keeps what is not published from everybody', async () => {
    await database.admin.query(
      'grant delete, select on outrider.outbox_events to outrider_retention',
    );
    const text = 'delete from outrider.outbox_events where id = $1';
    expect(await attempt('outrider_retention', text, [waiting])).toBe(
      `error: event ${waiting} cannot be deleted: it has not been published`,
    );
    expect(await attempt('outrider_retention', text, [published])).toBe('done: 1');
    await database.admin.query(
      'revoke delete, select on outrider.outbox_events from outrider_retention',
    );
  });
});

describe('a purge', () => {
  it.each(roles.filter((role) => role !== 'outrider_owner' && role !== 'outrider_retention'))(
    'is not for %s',
    async (role) => {
      const call = "select outrider.purge_outbox_events('1 hour', 10)";
      expect(await attempt(role, call)).toMatch(/^error: permission denied/);
    },
  );

  it('is for outrider_retention, not for a superuser who does not act as it', async () => {
    const call = "select outrider.purge_outbox_events('1 hour', 10)";
    expect(await attempt('postgres', call)).toBe('error: login "postgres" may not delete events');
    expect(await attempt('outrider_retention', call)).toBe('done: 1');
  });

  it('deletes what was published longer ago, the oldest first, and as many as are asked for', async () => {
    const ids: string[] = [];
    for (const seconds of [1, 2, 3]) {
      const id = await emit(database.admin);
      await markPublished(database.admin, [id], after(seconds));
      ids.push(id);
    }
    const retention = await database.connectAs({ roles: ['outrider_retention'] });
    const purge = (limit: number): Promise<number> =>
      purgeOutboxEvents(retention, { olderThan: '1 hour', limit }, after(3602.5));
    expect(await purge(2)).toBe(2);
    expect(await left([published, ...ids])).toEqual(ids.slice(1));
    expect(await purge(10)).toBe(1);
    expect(await purge(10)).toBe(0);
    expect(await left([published, ...ids, waiting, failed])).toEqual([ids[2], waiting, failed]);
  });
});

async function left(ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => storedEvent(database.admin, id)));
  return ids.filter((_, index) => found[index] !== undefined);
}
