import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { openIngest } from '../support/http/ingest.ts';
import {
  comparableAnswer,
  comparableRows,
  firstDifference,
  type Names,
} from '../support/posts/comparable-rows.ts';
import {
  batchesOf,
  pushInBulk,
  pushOneByOne,
  pushThroughHttp,
  pushThroughSql,
  type Verdict,
} from '../support/posts/intake-ways.ts';
import { addIntakeWorkspace } from '../support/posts/intake-workspace.ts';
import { requestStream } from '../support/posts/request-stream.ts';
import { sent } from '../support/queue/outcomes.ts';

// Every way has a workspace of its own, all of one shape, and gets the same posts in the same order. After each 250
// of them what is due is sent: repeats meet deliveries that were sent and deliveries that wait.

const ways = ['one-by-one', 'bulk', 'sql', 'http'] as const;
type Way = (typeof ways)[number];
type Table = Parameters<typeof comparableRows>[1];

const seed = randomInt(2 ** 31);
const posts = requestStream(2500, seed);
const answers = new Map<Way, string[]>(ways.map((way) => [way, []]));
const names = new Map<Way, Names>(ways.map((way) => [way, new Map<string, string>()]));
const database = await useDatabase();

beforeAll(async () => {
  const { admin, service } = database;
  for (const way of ways) await addIntakeWorkspace(admin, way);
  await using ingest = await openIngest(service);
  const client = await service.connect(); // of a pool, an error would cost the connection and its plans
  for (let from = 0; from < posts.length; from += 250) {
    const some = posts.slice(from, from + 250);
    const [oneByOne, sql, http] = await Promise.all([
      pushOneByOne(client, 'one-by-one', some),
      pushThroughSql(service, 'secret-of-sql', some),
      pushThroughHttp(ingest, 'secret-of-http', some),
    ]);
    const bulk = await pushInBulk(client, 'bulk', batchesOf(some, oneByOne));
    for (const way of ways) note(way, { 'one-by-one': oneByOne, bulk, sql, http }[way]);
    for (const way of ways) await sendDue(way);
  }
  client.release();
}, 600_000);

function note(way: Way, verdicts: readonly Verdict[]): void {
  answers
    .get(way)
    ?.push(...verdicts.map((each) => comparableAnswer(each, names.get(way) ?? new Map())));
}

async function sendDue(workspaceId: Way): Promise<void> {
  for (;;) {
    const request = { workspaceId, runId: 'send', limit: 1000 };
    const held = await claimDeliveries(database.service, request);
    if (held.length === 0) return;
    await commitOutcomes(database.service, workspaceId, held.map(sent));
  }
}

/** The answers of a way, each with its post. */
function answersOf(way: Way, given = posts): string[] {
  return (answers.get(way) ?? []).map((answer, n) => `${answer} to ${JSON.stringify(given[n])}`);
}

const rows = new Map<string, Promise<string[]>>();

function rowsOf(table: Table, way: Way): Promise<string[]> {
  const key = `${table} ${way}`;
  const read =
    rows.get(key) ?? comparableRows(database.admin, table, way, names.get(way) ?? new Map());
  rows.set(key, read);
  return read;
}

/** Where the rows of two ways part; undefined: nowhere. */
async function difference(
  table: Table,
  one: Way,
  other: Way,
  counts: (row: string) => boolean = () => true,
): Promise<object | undefined> {
  const expected = (await rowsOf(table, one)).filter(counts);
  expect(expected).not.toEqual([]);
  return firstDifference(expected, (await rowsOf(table, other)).filter(counts));
}

const isOfMessage = (row: string): boolean => !row.includes('"message_id": null');
const isNoRefusal = (row: string): boolean => !row.includes('payload_rejected');
const isDropped = (answer: string | undefined): boolean =>
  answer?.startsWith('{"verdict":"dedup_dropped"') === true;

describe(`10,000 random posts, 2,500 in each of four ways (seed ${seed})`, () => {
  it('get every kind of answer', () => {
    const all = answersOf('http').join('\n');
    const kinds = [
      'queued',
      'deduped',
      'validation_failed',
      'not_routed',
      'rejected',
      'dedup_dropped',
    ];
    const others = ['"because":"sent"', '"because":"inflight"', '"seen":"before"', '2150-06-0'];
    const wanted = [...kinds.map((verdict) => `"verdict":"${verdict}"`), ...others];
    expect(wanted.filter((each) => all.split(each).length < 50)).toEqual([]);
  });

  it('get the same answers one by one, through ingest_push and over HTTP', () => {
    const expected = answersOf('one-by-one');
    expect(firstDifference(expected, answersOf('sql'))).toBeUndefined();
    expect(firstDifference(expected, answersOf('http'))).toBeUndefined();
  });

  it('get the same answers one by one and in bulk, but for those that an endpoint drops', () => {
    const kept = posts.filter((_, n) => !isDropped(answers.get('one-by-one')?.[n]));
    const expected = answersOf('one-by-one').filter((answer) => !isDropped(answer));
    expect(firstDifference(expected, answersOf('bulk', kept))).toBeUndefined();
  });

  describe.each([
    ['in bulk', 'bulk'],
    ['through ingest_push', 'sql'],
    ['over HTTP', 'http'],
  ] as const)('%s', (_, way) => {
    it.each(['messages', 'deliveries', 'delivery_queue', 'media_origin'] as const)(
      'leave the same rows in %s as one by one',
      async (table) => {
        expect(await difference(table, 'one-by-one', way)).toBeUndefined();
      },
    );

    it('leave the same events of messages as one by one', async () => {
      expect(await difference('events', 'one-by-one', way, isOfMessage)).toBeUndefined();
    });
  });

  describe.each([
    ['through ingest_push', 'sql'],
    ['over HTTP', 'http'],
  ] as const)('%s', (_, way) => {
    it('leave the same receipts as one by one', async () => {
      expect(await difference('ingress_receipts', 'one-by-one', way)).toBeUndefined();
    });

    it('leave the same runs and events as one by one, and a record of refusals', async () => {
      expect(await difference('ingest_runs', 'one-by-one', way, isNoRefusal)).toBeUndefined();
      expect(await difference('events', 'one-by-one', way, isNoRefusal)).toBeUndefined();
    });
  });

  it('leave the same record of refusals through ingest_push and over HTTP', async () => {
    expect(await difference('ingest_runs', 'sql', 'http')).toBeUndefined();
    expect(await difference('events', 'sql', 'http')).toBeUndefined();
  });
});
