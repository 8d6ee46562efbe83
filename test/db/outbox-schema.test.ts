import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { specifiedEvents } from '../../src/outbox/registry.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { admin } = database;

// The published contract, word for word.
const columns = [
  'id uuid not null',
  'event_type outrider.event_type_enum not null',
  'aggregate_type outrider.aggregate_type_enum not null',
  'aggregate_id uuid not null',
  'payload_json jsonb not null',
  'created_at timestamp with time zone not null default now()',
  'published_at timestamp with time zone null',
  'attempt_count integer not null default 0',
  'last_error text null',
];
const aggregateTypes = [
  'vendor_order',
  'checkout_group',
  'license',
  'store',
  'media',
  'ledger_event',
  'notification',
  'ad',
];
const eventTypes = [
  'order_created',
  'order_state_changed',
  'line_item_state_changed',
  'license_status_changed',
  'media_uploaded',
  'payment_settled',
  'cash_collected',
  'vendor_payout_recorded',
  'notification_requested',
  'order_expired',
  'order_canceled',
  'reservation_released',
  'ad_created',
  'ad_updated',
  'ad_paused',
  'ad_activated',
  'ad_expired',
  'ad_daily_rollup_ready',
];

async function valuesOf(type: string): Promise<string[]> {
  const rows = await queryRows(
    admin,
    z.object({ value: z.string() }),
    'select enumlabel as value from pg_enum where enumtypid = $1::regtype order by enumsortorder',
    [`outrider.${type}`],
  );
  return rows.map((row) => row.value);
}

describe('outbox_events', () => {
  it('has the columns of the contract, in that order, and no others', async () => {
    const found = await queryRows(
      admin,
      z.object({ column: z.string() }),
      `select a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
         || case when a.attnotnull then ' not null' else ' null' end
         || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as column
       from pg_attribute a
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = 'outrider.outbox_events'::regclass and a.attnum > 0 and not a.attisdropped
       order by a.attnum`,
    );
    expect(found.map((row) => row.column)).toEqual(columns);
  });

  it('has the primary key and the indexes of the contract, beside those that a fetch needs', async () => {
    const found = await queryRows(
      admin,
      z.object({ index: z.string() }),
      `select regexp_replace(pg_get_indexdef(indexrelid), '^create (unique )?index \\w+ on \\S+ using btree ', '\\1', 'i') as index
       from pg_index where indrelid = 'outrider.outbox_events'::regclass
       order by indexrelid`,
    );
    expect(found.map((row) => row.index)).toEqual([
      'UNIQUE (id)',
      '(published_at)',
      '(event_type)',
      '(aggregate_type, aggregate_id)',
      '(created_at, id) WHERE (published_at IS NULL)',
      '(aggregate_type, aggregate_id, created_at, id) WHERE (published_at IS NULL)',
      '(created_at, id) WHERE ((published_at IS NULL) AND (last_error IS NULL))',
    ]);
  });

  it('takes the types of the contract, in that order, and no others', async () => {
    expect(await valuesOf('event_type_enum')).toEqual(eventTypes);
    expect(await valuesOf('aggregate_type_enum')).toEqual(aggregateTypes);
  });
});

describe('the specified types of the package', () => {
  it('are those that the database takes from the start', async () => {
    expect(Object.keys(specifiedEvents.types)).toEqual(await valuesOf('event_type_enum'));
  });

  it('are about any aggregate that the database takes', async () => {
    const aggregates = await valuesOf('aggregate_type_enum');
    for (const shape of Object.values(specifiedEvents.types)) {
      expect(shape.aggregateTypes).toEqual(aggregates);
    }
  });
});

const id = '00000000-0000-4000-8000-000000000001';
const lawful = { version: 1, eventId: id, occurredAt: '2026-03-02T10:00:00Z', data: {} };

/** An insert by hand, as a superuser, undone at once; answers with the constraint or fault that it met. */
async function insert(
  payload: unknown,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const row = {
    id,
    event_type: 'ad_activated',
    aggregate_type: 'ad',
    aggregate_id: id,
    payload_json: JSON.stringify(payload),
    ...more,
  };
  const names = Object.keys(row);
  const client = await admin.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into outrider.outbox_events (${names.join(', ')})
       values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    );
    return 'taken';
  } catch (error) {
    const { constraint, message } = z
      .object({ constraint: z.string().optional(), message: z.string() })
      .parse({ ...Object(error), message: String(error) });
    return constraint ?? message;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('an envelope', () => {
  it.each([
    ['as it should be', lawful],
    ['with an actor', { ...lawful, actor: { type: 'user', id: '7' } }],
    ['with data that is null', { ...lawful, data: null }],
    ['with fields of a later version', { ...lawful, version: 2, trace: 'x' }],
  ])('is taken: %s', async (_title, payload) => {
    expect(await insert(payload)).toBe('taken');
  });

  it.each([
    [
      'of another event',
      { ...lawful, eventId: id.replace('1', '2') },
      'envelope_has_the_id_of_its_event',
    ],
    ['without an id', { ...lawful, eventId: undefined }, 'envelope_has_the_id_of_its_event'],
    ['that is a list', [lawful], 'envelope_has_a_whole_version_from_one_on'],
    ['that is a text', id, 'envelope_has_a_whole_version_from_one_on'],
    [
      'without a version',
      { ...lawful, version: undefined },
      'envelope_has_a_whole_version_from_one_on',
    ],
    ['of version 0', { ...lawful, version: 0 }, 'envelope_has_a_whole_version_from_one_on'],
    ['of version 1.5', { ...lawful, version: 1.5 }, 'envelope_has_a_whole_version_from_one_on'],
    ['of version "1"', { ...lawful, version: '1' }, 'envelope_has_a_whole_version_from_one_on'],
    ['of version [1]', { ...lawful, version: [1] }, 'envelope_has_a_whole_version_from_one_on'],
    ['without a time', { ...lawful, occurredAt: undefined }, 'envelope_says_when_it_occurred'],
    ['whose time is a number', { ...lawful, occurredAt: 1 }, 'envelope_says_when_it_occurred'],
    ['without data', { ...lawful, data: undefined }, 'envelope_holds_data'],
    ['whose actor is null', { ...lawful, actor: null }, 'envelope_has_an_object_as_actor_or_none'],
    [
      'whose actor is a text',
      { ...lawful, actor: 'me' },
      'envelope_has_an_object_as_actor_or_none',
    ],
  ])('is refused: %s', async (_title, payload, constraint) => {
    expect(await insert(payload)).toBe(constraint);
  });
});

describe('an event', () => {
  it.each([
    ['published', { published_at: '2026-03-02T10:00:00Z' }],
    ['tried', { attempt_count: 1, last_error: 'no' }],
    ['with an error', { last_error: 'no' }],
  ])('does not start as %s', async (_title, more) => {
    expect(await insert(lawful, more)).toBe(
      `error: event ${id} cannot start as published or tried`,
    );
  });

  it.each(['infinity', '-infinity'])('is not created at %s', async (created_at) => {
    expect(await insert(lawful, { created_at })).toBe('an_event_has_its_place_in_time');
  });
});
