import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { deliveryStatuses } from '../../src/db/delivery-rows.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import {
  fill,
  oldEvents,
  sentDeliveries,
  waitingDeliveries,
} from '../support/database/bulk-rows.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { meter, type Reading } from '../support/database/statement-meter.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// What is asked about a workspace costs the same however much it has sent, and however much waits once a look has
// reached its end: by plans that were made while the tables were empty, and by plans that were made while they were
// small. Nothing is vacuumed or analysed, which would make the connections plan anew.

const database = await useDatabase();
let earlyReader: pg.PoolClient;
let laterReader: pg.PoolClient;

const channelIds = ['c1', 'c2'];
const present = after(7200); // what happened at the start is more than an hour ago

interface Question {
  readonly title: string;
  readonly text: string;
  readonly values: (workspaceId: string) => Promise<unknown[]>;
}

const list = `select * from outrider.list_deliveries(
  $1, p_statuses => $2, p_channel_ids => $3, p_limit => 20, p_before => $4, p_now => '${present}')`;

const events = `select * from outrider.list_events(
  $1, p_channel_ids => $2, p_actions => $3, p_result => $4, p_limit => 20, p_now => '${present}')`;

const questions: readonly Question[] = [
  {
    title: 'the rate groups',
    text: 'select * from outrider.list_rate_groups($1, $2)',
    values: async (workspaceId) => [workspaceId, present],
  },
  {
    title: 'the latest events',
    text: events,
    values: async (workspaceId) => [workspaceId, null, null, null],
  },
  {
    title: 'the latest errors',
    text: events,
    values: async (workspaceId) => [workspaceId, null, null, 'error'],
  },
  {
    title: 'the latest events of an action',
    text: events,
    values: async (workspaceId) => [workspaceId, null, ['retry_scheduled', 'dead_letter'], null],
  },
  {
    title: 'the latest events of a channel',
    text: events,
    values: async (workspaceId) => [workspaceId, ['c2'], null, null],
  },
  {
    title: 'the channels',
    text: 'select * from outrider.list_channels($1, p_now => $2)',
    values: async (workspaceId) => [workspaceId, present],
  },
  {
    title: 'the workspace',
    text: 'select * from outrider.show_workspace($1, $2)',
    values: async (workspaceId) => [workspaceId, present],
  },
  {
    title: 'what goes on in the workspace',
    text: 'select * from outrider.show_activity($1, p_now => $2)',
    values: async (workspaceId) => [workspaceId, present],
  },
  {
    title: 'what is wrong',
    text: 'select * from outrider.what_is_wrong($1, $2)',
    values: async (workspaceId) => [workspaceId, present],
  },
  {
    title: 'the next slots',
    text: 'select * from outrider.next_slots($1, $2)',
    values: async (workspaceId) => [workspaceId, present],
  },
  {
    title: 'the latest failures',
    text: 'select * from outrider.latest_failures($1, 10, $2)',
    values: async (workspaceId) => [workspaceId, present],
  },
  {
    title: 'the beginnings of posts',
    text: 'select * from outrider.post_excerpts($1, $2, $3)',
    values: async (workspaceId) => [workspaceId, [await someMessage(workspaceId)], present],
  },
  {
    title: 'a delivery whose id is written short',
    text: 'select * from outrider.find_deliveries($1, $2)',
    values: async (workspaceId) => [workspaceId, (await someDelivery(workspaceId)).slice(-8)],
  },
  {
    title: 'one delivery',
    text: 'select * from outrider.show_delivery($1, $2, $3)',
    values: async (workspaceId) => [workspaceId, await someDelivery(workspaceId), present],
  },
  {
    title: 'why a delivery waits',
    text: 'select * from outrider.explain_delivery($1, $2, $3)',
    values: async (workspaceId) => [workspaceId, await someDelivery(workspaceId), present],
  },
  {
    title: 'what became of a post, by its source_ref',
    text: 'select * from outrider.explain_post($1, $2, null, $3)',
    values: async (workspaceId) => [workspaceId, await someSourceRef(workspaceId), present],
  },
  {
    title: 'the posts that contain a text',
    text: 'select * from outrider.find_posts($1, $2, 20, $3)',
    values: async (workspaceId) => [workspaceId, 'a text that none contains', present],
  },
  {
    title: 'the latest deliveries',
    text: list,
    values: async (workspaceId) => [workspaceId, null, null, null],
  },
  {
    title: 'the latest deliveries of a channel',
    text: list,
    values: async (workspaceId) => [workspaceId, null, ['c2'], null],
  },
  {
    title: 'the next page of deliveries',
    text: list,
    values: async (workspaceId) => [workspaceId, null, null, await someDelivery(workspaceId)],
  },
  ...deliveryStatuses.map((status) => ({
    title: `the deliveries that are ${status}`,
    text: list,
    values: async (workspaceId: string) => [workspaceId, [status], null, null],
  })),
];

/** One of those that were there before the load. */
async function someDelivery(workspaceId: string): Promise<string> {
  const { rows } = await database.admin.query<{ id: string }>(
    'select delivery_id as id from outrider.deliveries where workspace_id = $1 order by seq limit 1',
    [workspaceId],
  );
  return rows[0]?.id ?? '00000000-0000-4000-8000-000000000001';
}

/** The message of one of those. */
async function someMessage(workspaceId: string): Promise<string> {
  const { rows } = await database.admin.query<{ id: string }>(
    'select message_id as id from outrider.deliveries where delivery_id = $1',
    [await someDelivery(workspaceId)],
  );
  return rows[0]?.id ?? '00000000-0000-4000-8000-000000000001';
}

/** The source_ref of the message of one of those. */
async function someSourceRef(workspaceId: string): Promise<string> {
  const { rows } = await database.admin.query<{ ref: string }>(
    `update outrider.messages set source_ref = 'post-' || workspace_id
     where message_id = (
       select message_id from outrider.deliveries where workspace_id = $1 order by seq limit 1)
     returning source_ref as ref`,
    [workspaceId],
  );
  return rows[0]?.ref ?? 'none';
}

async function ask(
  reader: pg.PoolClient,
  question: Question,
  workspaceId: string,
): Promise<Reading> {
  return meter(reader, question.text, await question.values(workspaceId));
}

/** A workspace with some deliveries in every state. */
async function furnish(workspaceId: string): Promise<void> {
  const { admin, service } = database;
  await addWorkspace(admin, workspaceId);
  for (const id of channelIds) await addChannel(admin, workspaceId, id);
  await addChannel(admin, workspaceId, 'slow', { rate_rps: 0.001, max_parallel: 3 });
  await addBacklog(admin, workspaceId, [...channelIds, 'slow'], 20);
  const held = await claimDeliveries(service, { workspaceId, runId: 'run', limit: 100 }, start);
  const outcomes = held.map((each, n) => {
    if (n % 4 === 0) return failed(each);
    if (n % 8 === 1) return failed(each, { category: 'PERMANENT' });
    return n % 8 === 2 ? undefined : sent(each);
  });
  const told = outcomes.filter((each) => each !== undefined);
  await commitOutcomes(service, workspaceId, told, after(1));
  for (const id of channelIds) {
    await addDelivery(admin, workspaceId, id, { status: 'deduped', occurrence: null });
    await addDelivery(admin, workspaceId, id, { not_before: after(86_400) });
  }
}

/** The primary key has two leaves by now, and the index of channels one: it looks like the shorter way. */
async function growUntilAnIdLooksAsWideAsAWorkspace(): Promise<void> {
  const { admin } = database;
  for (let n = 1; n <= 40; n += 1) {
    await addWorkspace(admin, `t${n}`);
    for (const id of channelIds) await addChannel(admin, `t${n}`, id);
    await addBacklog(admin, `t${n}`, ['c1'], 5);
  }
  const split = async (index: string): Promise<boolean> => {
    const row = z.object({ split: z.boolean() });
    const text = 'select pg_relation_size($1) > 2 * 8192 as split';
    return (await queryRow(admin, row, text, [`outrider.${index}`])).split;
  };
  while (!(await split('deliveries_pkey'))) await addBacklog(admin, 't1', ['c1'], 1);
  expect(await split('deliveries_of_channel_idx')).toBe(false);
}

const workspaces = ['small', 'history', 'failing', 'backlog', 'greater', 'scheduled', 'later'];
const backlog = 22_000;

beforeAll(async () => {
  // No statistics, and none that autovacuum would gather meanwhile.
  await database.admin.query(`
    do $$ declare v_table regclass; begin
      for v_table in select oid::regclass from pg_class
        where relnamespace = 'outrider'::regnamespace and relkind = 'r'
      loop execute format('alter table %s set (autovacuum_enabled = off)', v_table); end loop;
    end $$`);
  earlyReader = await database.service.connect();
  laterReader = await database.service.connect();
  await addWorkspace(database.admin, 'empty');
  for (const id of channelIds) await addChannel(database.admin, 'empty', id);
  await addDelivery(database.admin, 'empty', 'c2');
  for (const question of questions) await ask(earlyReader, question, 'empty');
  await growUntilAnIdLooksAsWideAsAWorkspace();
  for (const question of questions) await ask(laterReader, question, 't1');

  for (const id of workspaces) await furnish(id);
  const load = (workspaceId: string, count: number) => ({ workspaceId, channelIds, count });
  await fill(database.admin, [
    sentDeliveries(load('history', 50_000)),
    oldEvents('history', 50_000),
    sentDeliveries(load('failing', 10_000)),
    {
      text: `update outrider.deliveries
        set status = 'failed_permanent', sent_at = null, provider_message_id = null,
          failed_at = $1::timestamptz - seq * interval '1 second'
        where workspace_id = 'failing' and occurrence > 1`,
      values: [start],
    },
    ...waiting(load('backlog', backlog)),
    ...waiting(load('greater', 2 * backlog)),
    ...waiting(load('scheduled', backlog), after(7 * 86_400)),
    ...waiting(load('later', 2 * backlog), after(7 * 86_400)),
    ...['backlog', 'greater'].map((id, n) => recentEvents(id, (n + 1) * 31_000)),
    {
      text: `insert into outrider.workspaces (workspace_id, name, created_at)
        select 'idle-' || n, 'idle', $1 from generate_series(1, 2000) n`,
      values: [start],
    },
    {
      text: `insert into outrider.channels
          (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, created_at, updated_at)
        select 'idle-' || n, 'c1', 'telegram', '-1', 'bot', 'bot', $1, $1 from generate_series(1, 2000) n`,
      values: [start],
    },
  ]);
}, 120_000);

afterAll(async () => {
  earlyReader.release();
  laterReader.release();
});

/** As waitingDeliveries, without those that wait already. */
function waiting(
  bulk: { workspaceId: string; channelIds: string[]; count: number },
  at = start,
): { text: string; values?: unknown[] }[] {
  return waitingDeliveries(bulk, at).map((statement) => ({
    ...statement,
    text: `${statement.text}${statement.text.includes('delivery_queue') ? ' on conflict do nothing' : ''}`,
  }));
}

/** What was enqueued just now. */
function recentEvents(workspaceId: string, count: number): { text: string; values: unknown[] } {
  return {
    text: `insert into outrider.event_log (workspace_id, id, delivery_id, ts, action, attempt, result)
      select $1, gen_random_uuid(), gen_random_uuid(), $2, 'enqueue', 0, 'ok' from generate_series(1, $3)`,
    values: [workspaceId, after(7000), count],
  };
}

/** A table with a row for each process, of no workspace. */
const ofProcesses = 'service_heartbeats';

/** What a question reads in one workspace beyond what it reads in another, by plans of either kind. */
async function excess(question: Question, loaded: string, than: string): Promise<string[]> {
  const found: string[] = [];
  for (const [plans, reader] of Object.entries({ earlyReader, laterReader })) {
    const before = await ask(reader, question, than);
    const now = await ask(reader, question, loaded);
    if (now.passed > before.passed * 1.2 + 20) {
      found.push(`${plans}, rows: ${now.passed} instead of ${before.passed}`);
    }
    if (now.pages > before.pages * 1.5 + 50) {
      found.push(`${plans}, pages: ${now.pages} instead of ${before.pages}`);
    }
    const whole = now.readWhole.filter((table) => table !== ofProcesses);
    found.push(...whole.map((table) => `${plans}, all of ${table}`));
  }
  return found;
}

describe.each(questions)('to ask for $title', (question) => {
  it('costs no more with a backlog of 44,000 than with one of 22,000', async () => {
    expect(await excess(question, 'greater', 'backlog')).toEqual([]);
  });

  it('costs no more with 44,000 scheduled for next week than with 22,000', async () => {
    expect(await excess(question, 'later', 'scheduled')).toEqual([]);
  });

  it('costs what some ten thousand rows cost at most', async () => {
    for (const workspaceId of ['history', 'greater', 'later']) {
      for (const reader of [earlyReader, laterReader]) {
        const { passed } = await ask(reader, question, workspaceId);
        expect({ workspaceId, few: passed < 110_000 }).toEqual({ workspaceId, few: true });
      }
    }
  });
});

// Suppressed repeats, what an id ends with and a part of a text are looked for among the newest of all; events of a channel among those of
// its newest deliveries, which are fewer in a small workspace.
const findable = questions.filter(
  (each) => !/deduped$|short$|contain a text$|events of a channel$/.test(each.title),
);

describe.each(findable)('to ask for $title', (question) => {
  it('costs no more with 50,000 sent deliveries and their events', async () => {
    expect(await excess(question, 'history', 'small')).toEqual([]);
  });
});

describe('to ask for a page of 10,000 failures', () => {
  const question: Question = {
    title: 'failures',
    text: list,
    values: async (workspaceId) => [workspaceId, ['failed_permanent', 'dead'], null, null],
  };

  it('costs what the page costs', async () => {
    for (const reader of [earlyReader, laterReader]) {
      expect((await ask(reader, question, 'failing')).passed).toBeLessThan(100);
    }
  });

  it('costs no more once the server has statistics', async () => {
    await database.admin.query('analyze outrider.deliveries');
    expect((await ask(earlyReader, question, 'failing')).passed).toBeLessThan(100);
  });
});
