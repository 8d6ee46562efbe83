// What becomes of claimed rows when the workflows are run, whatever the gateway does with each of them.

import { databaseAnswer } from './database-answers.ts';
import { ended, endsIn, woken } from './ends.ts';
import { type Call, runWorkflow, type World } from './run.ts';
import { once, only, rowOf, type Scene } from './scene.ts';
import { sources } from './source-scenes.ts';
import { failed, type Row, refusal, type Way, ways } from './ways.ts';
import type { Workflow } from './workflow.ts';

const wayOf = (row: Row): Way => {
  const way = ways[String(row['way'])];
  if (way === undefined) throw new Error(`the gateway was given no row: ${JSON.stringify(row)}`);
  return way;
};

interface Told extends Row {
  readonly workspace_id: string;
  readonly claim_token: string;
  readonly id: string;
  readonly platform: string;
  readonly way: string;
}

/** A row for each platform and each way, of two workspaces in turn. */
function rowsFor(platforms: readonly string[], chosen = Object.keys(ways)): Told[] {
  return platforms.flatMap((platform) =>
    chosen.map((way, n) => {
      const id = `${platform} ${way}`;
      return { ...rowOf(`w${1 + (n % 2)}`, id), id, platform, way };
    }),
  );
}

/** What a run of the dispatcher does besides, in so many rounds. */
const runOf = (rounds: number): string[] => [
  ...Array.from({ length: rounds }, () => [
    'take_run ["n8n_dispatcher","outriderDispatch:42","30 seconds"]',
    'next_workspaces ["n8n",4]',
  ]).flat(),
  'end_run ["n8n_dispatcher","outriderDispatch:42"]',
];

/** In two rounds, unless something is given back: then the queue is left to the next run. A claim of one workspace fails. */
function deliveries(rows: readonly Told[], breaksOff?: string): Scene {
  const left = rows.map(({ id, platform, ...row }) => {
    return { ...row, delivery_id: id, channel: { platform } };
  });
  const isGivenBack = rows.some((row) => row.platform === 'pager');
  const most = isGivenBack ? rows.length : rows.length / 3;
  return {
    workflow: '02_dispatcher',
    trigger: 'Every two seconds',
    claim: ({ name, args }) => {
      if (name === 'next_due_at') return [{ is_due: isGivenBack || left.length > 0 }];
      if (name !== 'claim_deliveries') return undefined;
      if (typeof args[0] !== 'string') throw new Error('claims of no workspace');
      if (args[0] === 'locked') return [{ error: {} }];
      const own = left.filter(({ workspace_id }) => workspace_id === args[0]).slice(0, most);
      for (const row of own) left.splice(left.indexOf(row), 1);
      return own;
    },
    ask: (route, row) => only(route, '/v1/deliver', wayOf(row).answer(row)),
    breaksOff,
    expected: [
      ...runOf(isGivenBack ? 1 : 2),
      ...rows.map((row) => {
        const isBroken = breaksOff === `adapter_${row.platform}_send`;
        const how = isBroken ? 'unknown outcome_unknown' : wayOf(row).ends;
        return ended(row, row.id, row.platform === 'pager' ? 'released' : how);
      }),
    ],
  };
}

/** Half of the rows in each round. A turn begins one, and the look for what is left another. */
function replies(rows: readonly Told[], breaksOff?: string): Scene {
  const left = rows.map(({ id, ...row }) => ({ ...row, reply_id: id }));
  const turns = ['5', '6'].map((chat_id) => {
    return { workspace_id: 'w1', provider: 'max', chat_id, provider_message_id: `of ${chat_id}` };
  });
  return {
    workflow: '12_bot_engine',
    trigger: 'Every five seconds',
    claim: ({ name }) => {
      if (name === 'pending_bot_turns') return turns;
      if (name !== 'claim_bot_replies') return undefined;
      const before = left.splice(0);
      left.push(...before.filter((_, n) => n % 2 === 1));
      return before.filter((_, n) => n % 2 === 0);
    },
    ask: (route, row) => only(route, '/v1/bot/send', wayOf(row).answer(row)),
    breaksOff,
    expected: [
      ...turns.map((turn) => `run_bot_turn ${JSON.stringify(Object.values(turn))}`),
      woken,
      ...rows.map((row) => {
        const { ends, endsReply = ends } = wayOf(row);
        const isBroken = breaksOff === `adapter_${row.platform}_send`;
        const how = isBroken ? 'unknown outcome_unknown' : endsReply;
        return ended(row, row.id, row.platform === 'vk' ? 'not_sent aborted' : how);
      }),
    ],
  };
}

/** A run that another one keeps from beginning. */
function kept(): Scene {
  const { claim, ...scene } = deliveries(rowsFor(['vk'], ['sent']));
  const notTaken = [{ taken: false }];
  return {
    ...scene,
    claim: (call) => (call.name === 'take_run' ? notTaken : claim(call)),
    expected: runOf(1).slice(0, 1),
  };
}

const forEach = (name: string): string[] => ['w1', 'w2'].map((each) => `${name} ["${each}"]`);

function notifications(workflow: string, trigger: string, beside: readonly string[]): Scene {
  const said = [null, 'the receiver answered with 503', 'refused', 'reset', 'a page'];
  const rows = said.map((told) => ({
    ...rowOf('w1', String(told)),
    notification_id: `message ${told}`,
    told,
  }));
  const answerTo = (row: Row): object => {
    if (row['told'] === 'refused') return refusal(503, 'stopping')();
    if (row['told'] === 'reset') return failed('ECONNRESET')();
    if (row['told'] === 'a page') return { statusCode: 200, body: {} };
    const { told: error, ...ids } = row;
    const retry_after = error === null ? null : '1 minute';
    return { statusCode: 200, body: { ...ids, error, retry_after, left_to_others: false } };
  };
  const endOf: Readonly<Record<string, string>> = {
    null: 'null null false',
    'the receiver answered with 503': 'the receiver answered with 503 1 minute false',
    refused: 'the gateway refused the call: stopping null true',
    reset: 'the gateway was not reached, or broke off null true',
    'a page': 'the gateway was not reached, or broke off null true',
  };
  return {
    workflow,
    trigger,
    claim: once('claim_notifications', rows),
    ask: (route, row) => only(route, '/v1/alerts', answerTo(row)),
    expected: [
      ...rows.map((row) => ended(row, row.notification_id, endOf[String(row.told)] ?? '')),
      woken,
      ...beside,
    ],
  };
}

/** What is done every hour, and how much of it. */
function upkeep(): Scene {
  return {
    workflow: '03_monitor',
    trigger: 'Every hour',
    claim: () => undefined,
    ask: (route) => only(route, 'nothing', {}),
    expected: [
      'ensure_event_partitions [7]',
      'purge_expired [500,false]',
      'purge_outbox ["30 days",500,false]',
    ],
  };
}

const onAll = ['telegram', 'max', 'vk'] as const;
const two = ['sent', 'reset'];

const scenes: Readonly<Record<string, () => Scene>> = {
  'deliveries in 02_dispatcher': () => deliveries(rowsFor([...onAll, 'pager'])),
  ...Object.fromEntries(
    onAll.map((platform) => [
      `deliveries when the adapter of ${platform} breaks off`,
      () => deliveries(rowsFor(onAll, two), `adapter_${platform}_send`),
    ]),
  ),
  'deliveries while another run goes on': kept,
  'answers of bots in 12_bot_engine': () => replies(rowsFor(onAll)),
  ...Object.fromEntries(
    ['telegram', 'max'].map((platform) => [
      `answers of bots when the adapter of ${platform} breaks off`,
      () => replies(rowsFor(onAll, two), `adapter_${platform}_send`),
    ]),
  ),
  'messages in 03_monitor': () =>
    notifications('03_monitor', 'Every thirty seconds', [
      ...forEach('recover_leases'),
      ...forEach('evaluate_alerts'),
      ...forEach('health_snapshot'),
    ]),
  'messages in 13_bot_monitor': () =>
    notifications('13_bot_monitor', 'Every minute', [
      'recover_bot_replies []',
      ...forEach('evaluate_alerts'),
    ]),
  'sources in 01_ingest': sources,
  'the upkeep of 03_monitor': upkeep,
};

export const scenesOfClaims: readonly string[] = Object.keys(scenes);

/** The rows that end in another way than they should, each with a sign before it: + too much, - missing. */
export function wrongEnds(name: string, workflows: readonly Workflow[]): string[] {
  const scene = scenes[name]?.();
  if (scene === undefined) throw new Error(`no scene ${name}`);
  return wrongEndsIn(scene, workflows);
}

export function wrongEndsIn(scene: Scene, workflows: readonly Workflow[]): string[] {
  const workflow = workflows.find((each) => each.name === scene.workflow);
  if (workflow === undefined) throw new Error(`no workflow ${scene.workflow}`);
  const calls: Call[] = [];
  const world: World = {
    workflows,
    call(call) {
      calls.push(call);
      return scene.claim(call) ?? databaseAnswer(call);
    },
    ask: (route, row) => scene.ask(route, { ...row }),
    breaksOff: (sub) => sub === scene.breaksOff,
  };
  runWorkflow(workflow, scene.trigger, [{}], world);
  const left = [...scene.expected];
  const tooMuch = calls.flatMap(endsIn).filter((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  return [...tooMuch.map((each) => `+ ${each}`), ...left.map((each) => `- ${each}`)];
}
