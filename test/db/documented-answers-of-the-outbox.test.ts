import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { fill } from '../support/database/bulk-rows.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Ask,
  answeredSections,
  inOrder,
  NamedWorld,
  questionsOf,
  sqlOf,
} from '../support/queries/documented-answers.ts';

// Asks each question of docs/queries.md about the outbox and its consumers in a small database whose answers are known.

const database = await useDatabase();
const world = new NamedWorld(database.admin);

const aggregate = createHash('md5').update('42').digest('hex');

beforeAll(async () => {
  for (const event of events) await add(event);
  for (const text of marks) await database.admin.query(text, [start]);
});

interface Event {
  readonly name: string;
  readonly at: number;
  readonly type?: string;
  readonly aggregate?: string;
  readonly published?: number;
  /** Attempts, when it failed last and when it may be tried again. */
  readonly failed?: readonly [attempts: number, at: number, until: number];
}

const events: readonly Event[] = [
  { name: 'published long ago', at: -7300, published: -7200 },
  { name: 'published lately', at: -60, published: -50, aggregate },
  { name: 'failed once', at: -40, failed: [1, -30, -10], aggregate },
  { name: 'failed at the limit', at: -39, failed: [3, -20, -5] },
  { name: 'failed just now', at: -38, failed: [2, -10, 60] },
  { name: 'refused for good', at: -37, failed: [1, -25, Number.POSITIVE_INFINITY] },
  { name: 'new', at: -20, type: 'payment_settled' },
  { name: 'newer', at: -10, aggregate },
];

async function add(event: Event): Promise<void> {
  const id = world.name(event.name, idOf(event.name));
  const [attempts = 0, failedAt, until] = event.failed ?? [];
  const published = event.published === undefined ? null : after(event.published);
  await fill(database.admin, [
    {
      text: `insert into outrider.outbox_events
          (id, event_type, aggregate_type, aggregate_id, payload_json, created_at, published_at, attempt_count, last_error)
        values ($1, $2, 'vendor_order', $3,
          jsonb_build_object('version', 1, 'eventId', $1::uuid, 'occurredAt', '', 'data', '{}'::jsonb),
          $4, $5, $6, case when $6 > 0 then 'the broker refused it' end)`,
      values: [
        id,
        event.type ?? 'order_created',
        event.aggregate ?? id,
        after(event.at),
        published,
        attempts,
      ],
    },
  ]);
  if (failedAt === undefined || until === undefined) return;
  await fill(database.admin, [
    {
      text: `insert into outrider.outbox_backoff (event_id, attempt_count, not_before, failed_at, given_up)
        values ($1, $2, $3::timestamptz, $4, case when $3::timestamptz = 'infinity' then 'refused' end)`,
      values: [id, attempts, Number.isFinite(until) ? after(until) : 'infinity', after(failedAt)],
    },
  ]);
}

// $1 is the time.
const marks = [
  `insert into outrider.processed_events (consumer, event_id, state, owner, expires_at)
   select consumer, md5(consumer || '/' || n)::uuid, 'processed', null,
     $1::timestamptz + (n - 7) * interval '1 minute' + later
   from (values ('mailer', interval '0'), ('ledger', '10 seconds')) c (consumer, later), generate_series(6, 8) n`,
];

const idOf = (text: string): string =>
  createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const refused = 'the broker refused it';
const event_type = 'order_created';

/** Each question with what it is asked, and what the answer is. */
const answers: Readonly<Record<string, readonly Ask[]>> = {
  'Which events are published next?': [
    {
      values: {},
      rows: [
        { id: 'new', event_type: 'payment_settled', payload_json: expect.any(Object) },
        { id: 'newer', event_type, payload_json: expect.any(Object) },
      ],
    },
  ],
  'Which events that failed may be tried again?': [
    { values: { now: start }, rows: [{ event_id: 'failed once' }] },
    {
      values: { now: after(60) },
      rows: [{ event_id: 'failed once' }, { event_id: 'failed just now' }],
    },
  ],
  'What waits for an event of the same aggregate?': [
    {
      values: { aggregate_id: aggregate },
      rows: [
        { id: 'failed once', attempt_count: 1, last_error: refused },
        { id: 'newer', attempt_count: 0, last_error: null },
      ],
    },
  ],
  'Since when does the oldest event wait?': [{ values: {}, rows: [{ created_at: -40 }] }],
  'Which events failed last?': [
    {
      values: {},
      rows: [
        {
          id: 'failed just now',
          event_type,
          attempt_count: 2,
          last_error: refused,
          not_before: 60,
        },
        {
          id: 'failed at the limit',
          event_type,
          attempt_count: 3,
          last_error: refused,
          not_before: -5,
        },
        {
          id: 'refused for good',
          event_type,
          attempt_count: 1,
          last_error: refused,
          not_before: 'infinity',
        },
        { id: 'failed once', event_type, attempt_count: 1, last_error: refused, not_before: -10 },
      ],
    },
  ],
  'Which events has the broker refused for good?': [
    { values: {}, rows: [{ id: 'refused for good', event_type, last_error: refused }] },
  ],
  'What happened to an aggregate?': [
    {
      values: { aggregate_id: aggregate },
      rows: [
        { id: 'published lately', event_type, created_at: -60, published_at: -50 },
        { id: 'failed once', event_type, created_at: -40, published_at: null },
        { id: 'newer', event_type, created_at: -10, published_at: null },
      ],
    },
  ],
  'Which events were published in the last hour?': [
    {
      values: { last_hour: after(-3600) },
      rows: [{ id: 'published lately', event_type, published_at: -50 }],
    },
  ],
  'How many events of a type are there?': [{ values: {}, rows: [{ count: '1' }] }],
  'Has this consumer processed this event?': [
    { values: {}, rows: [{ state: 'processed', lease_until: null, expires_at: 0 }] },
  ],
  'Which marks have expired?': [
    {
      values: { now: start },
      rows: [
        { consumer: 'mailer', event_id: idOf('mailer/6') },
        { consumer: 'ledger', event_id: idOf('ledger/6') },
        { consumer: 'mailer', event_id: idOf('mailer/7') },
      ],
    },
  ],
};

describe('the documented query answers:', () => {
  it.each(questionsOf(answeredSections.outbox))('%s', async (question) => {
    const asks = answers[question] ?? [];
    expect(asks).not.toEqual([]);
    for (const { values, rows } of asks) {
      expect(await world.ask(question, values)).toEqual(inOrder(sqlOf(question), rows));
    }
  });
});
