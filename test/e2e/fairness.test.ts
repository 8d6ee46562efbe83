import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { wakeDispatchers } from '../../src/db/dispatch.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { addBacklog, setGroup } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type DispatcherProcess,
  serviceUrl,
  startDispatcherProcess,
} from '../support/processes/dispatcher-child.ts';
import {
  addSandboxChannels,
  addSenders,
  type SandboxChannel,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { startWatchedSandbox, type WatchedSandbox } from '../support/sandbox/watched-sandbox.ts';

// One workspace has a long backlog, another one posts now and then. What the second one is owed is counted in
// sends, not in time: how many of the backlog go out between a post and its arrival.

const backlogged = 'a';
const occasional = 'b';
const groupRate = 30;
const backlog = 20_000;

/** Of the backlog, at most so many go out before a post of the other workspace has arrived. */
const mostAhead = backlog / 20;
const samples = 10;

const database = await useDatabase();
let sandbox: WatchedSandbox;
let backlogChannels: SandboxChannel[];
let channels: SandboxChannel[];
let dispatchers: DispatcherProcess[];
let posted = 0;

beforeAll(async () => {
  await ensureEventPartitions(database.service, 1);
  sandbox = await startWatchedSandbox();
  addSenders(sandbox);
  sandbox.telegram.simulator.control('limits', { chat: null, bot: null });
  const columns = { rate_rps: 1, max_parallel: 2 };
  const crowd = { workspaceId: backlogged, counts: { telegram: 40 }, columns };
  backlogChannels = await addSandboxChannels(database.admin, sandbox, crowd);
  const group = { rate_group: 'telegram', rate_rps: groupRate };
  await setGroup(database.admin, backlogged, group);
  const few = { workspaceId: occasional, counts: { telegram: 3 } };
  channels = await addSandboxChannels(database.admin, sandbox, few);
  const setting = { url: serviceUrl(database), providers: urlsOf(sandbox), concurrency: 30 };
  dispatchers = await Promise.all([1, 2, 3].map(() => startDispatcherProcess(setting)));
});

afterAll(async () => {
  await Promise.all(dispatchers.map((each) => each.stop()));
  await sandbox.close();
});

interface Overtaken {
  readonly post: number;
  /** How many of the backlog went out when it was in the queue, before it. */
  readonly count: number;
  readonly tookMs: number;
  /** What stood in its way when more had overtaken it than may. */
  readonly inItsWay: string | undefined;
}

/** Hands a post in and waits until all chats of the workspace show it. */
async function overtakers(): Promise<Overtaken> {
  posted += 1;
  const text = `Post ${posted}`;
  const open = new Set(channels.map((each) => each.targetId));
  const { promise: shown, resolve } = Promise.withResolvers<void>();
  let overtaken = 0;
  let look: Promise<string> | undefined;
  sandbox.onReply = (call) => {
    if (call.text === 'Lost') overtaken += 1;
    if (overtaken > mostAhead) look ??= stateOf();
    if (call.text === text && call.chat !== undefined) open.delete(call.chat);
    if (open.size === 0) resolve();
  };
  await enqueueMessagesAndDeliveries(database.service, {
    workspaceId: occasional,
    endpointId: null,
    kind: 'push',
    rawPayload: { text },
  });
  overtaken = 0; // what goes out while it is handed in does not overtake it: on a busy machine as much again
  const since = performance.now();
  await wakeDispatchers(database.service);
  await shown;
  const tookMs = Math.round(performance.now() - since);
  return { post: posted, count: overtaken, tookMs, inItsWay: await look };
}

/** Until so many more of the backlog have gone out. */
async function backlogToFlow(count: number): Promise<void> {
  const { promise: flowed, resolve } = Promise.withResolvers<void>();
  let left = count;
  sandbox.onReply = (call) => {
    if (call.text === 'Lost') left -= 1;
    if (left === 0) resolve();
  };
  await wakeDispatchers(database.service);
  await flowed;
}

async function worstOf(count: number): Promise<Overtaken> {
  const all: Overtaken[] = [];
  for (let n = 0; n < count; n += 1) {
    await backlogToFlow(1 + ((n * 7) % 20)); // at no particular moment of anybody's rhythm
    all.push(await overtakers());
  }
  return all.reduce((worst, each) => (each.count > worst.count ? each : worst));
}

/** What may keep a post from being sent, while it waits. */
async function stateOf(): Promise<string> {
  const questions = [
    `select channel_id, status, attempt, not_before, next_retry_at, last_error, claimed_at
     from outrider.deliveries where workspace_id = $1 and status <> 'sent'`,
    'select channel_id, claimed, weight, available_at::text from outrider.delivery_queue where workspace_id = $1',
    'select channel_id, run_id, lease_until, open_count from outrider.leases where workspace_id = $1',
    'select * from outrider.channel_pace where workspace_id = $1',
    'select * from outrider.platform_limits where workspace_id = $1',
    `select pid, application_name, state, wait_event_type, wait_event, clock_timestamp() - state_change as since,
       pg_blocking_pids(pid) as blocked_by, left(query, 80) as query
     from pg_stat_activity where $1 <> '' and datname = current_database()`,
  ];
  const answers = questions.map((each) => database.admin.query(each, [occasional]));
  const lines = (await Promise.all(answers)).map(({ rows }) => JSON.stringify(rows));
  return lines.join('\n');
}

/** What is known of a post: where it waited, and who had the post before it, which its channels send first. */
async function storyOf({ post, inItsWay, ...figures }: Overtaken): Promise<string> {
  const texts = [post - 1, post].map((each) => `Post ${each}`);
  const { rows } = await database.admin.query(
    `select m.payload ->> 'text' as text, e.ts, e.channel_id, e.action, e.attempt, e.error, e.meta
     from outrider.events e
     join outrider.deliveries d on d.workspace_id = e.workspace_id and d.delivery_id = e.delivery_id
     join outrider.messages m on m.workspace_id = d.workspace_id and m.message_id = d.message_id
     where m.workspace_id = $1 and m.payload ->> 'text' = any ($2)
     order by e.ts`,
    [occasional, texts],
  );
  const calls = sandbox.calls
    .filter(({ text }) => texts.includes(text))
    .map(({ text, chat, at, repliedAt }) => ({ text, chat, at, repliedAt }));
  const warnings = dispatchers.flatMap((each) => each.warnings.slice(-50));
  const lines = [figures, ...rows, ...calls].map((each) => JSON.stringify(each));
  return [...lines, inItsWay, ...warnings].join('\n');
}

async function waiting(): Promise<number> {
  const row = await queryRow(
    database.admin,
    z.object({ count: z.number() }),
    'select count(*)::int from outrider.delivery_queue where workspace_id = $1',
    [backlogged],
  );
  return row.count;
}

describe(`a workspace beside a backlog of ${backlog}`, () => {
  beforeAll(async () => {
    const ids = backlogChannels.map((each) => each.channelId);
    await addBacklog(database.admin, backlogged, ids, backlog / ids.length);
  });

  it('has its posts delivered before a twentieth of a paced backlog goes out', async () => {
    const worst = await worstOf(samples);
    console.log(`fairness: at most ${worst.count} of a paced backlog overtook a post`);
    expect(await waiting()).toBeGreaterThan(backlog / 2);
    if (worst.count > mostAhead) console.log(await storyOf(worst));
    expect(worst.count).toBeLessThanOrEqual(mostAhead);
  });

  it('has its posts delivered before a twentieth of a backlog without any pace goes out', async () => {
    await database.admin.query(
      'update outrider.channels set rate_rps = null, max_parallel = 20 where workspace_id = $1',
      [backlogged],
    );
    await database.admin.query(
      'update outrider.platform_limits set rate_rps = null where workspace_id = $1',
      [backlogged],
    );
    await backlogToFlow(500); // what was given its slot before the limits were lifted keeps it
    const worst = await worstOf(samples);
    console.log(`fairness: at most ${worst.count} of a backlog without pace overtook a post`);
    expect(await waiting()).toBeGreaterThan(0);
    if (worst.count > mostAhead) console.log(await storyOf(worst));
    expect(worst.count).toBeLessThanOrEqual(mostAhead);
  });
});
