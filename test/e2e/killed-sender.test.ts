import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel } from '../support/database/seed.ts';
import { addressOf, openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { type SenderChild, spawnSender } from '../support/processes/sender-child.ts';
import {
  addChat,
  addSandboxChannels,
  addSenders,
  type SandboxChannel,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { liftLimits, post } from '../support/sandbox/sandbox-posts.ts';

// Fifty senders are killed with -9, each with a delivery to every channel in the same phase; a healthy one
// finishes what they have left. Each phase has a database and a healthy sender of its own, so that all
// phases run side by side.

const phases = {
  claimed: { words: 'after the claim', kills: 13 },
  called: { words: 'before bytes leave', kills: 13 },
  stored: { words: 'after bytes left', kills: 12 },
  answered: { words: 'after the answer', kills: 12 },
};
type PhaseName = keyof typeof phases;
const names = ['claimed', 'called', 'stored', 'answered'] as const;

const kinds = ['telegram', 'telegram, hold', 'max', 'vk'] as const;
type Kind = (typeof kinds)[number];

/** What became of the deliveries whose sender was killed. */
interface Tally {
  kills: number;
  sent: number;
  /** Failed for good, because nobody knows whether it has arrived. */
  held: number;
  /** Anything else: there must be none. */
  other: number;
  /** In the chat: not, once, or twice. */
  unseen: number;
  once: number;
  twice: number;
}

const Ended = z.object({ channel_id: z.string(), status: z.string(), code: z.string().nullable() });

const undo: (() => unknown)[] = [];
const tallies = new Map<string, Tally>();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  undo.push(() => sandbox.close());
  addSenders(sandbox);
  liftLimits(sandbox);
  const lanes: Lane[] = [];
  for (const name of names) lanes.push(await openLane(name));
  await Promise.all(lanes.map(runLane));
});

afterAll(async () => {
  console.log(table());
  for (const step of undo.splice(0).toReversed()) await step();
});

describe('fifty senders killed with -9', () => {
  it('were fifty', () => {
    const kills = names.map((name) => tallyOf(name, 'vk').kills);
    expect(kills.reduce((sum, each) => sum + each, 0)).toBe(50);
  });

  it.each(names)('lose nothing on any platform: %s', (name) => {
    for (const kind of ['telegram', 'max', 'vk'] as const) {
      const { kills } = phases[name];
      expect(tallyOf(name, kind)).toMatchObject({ sent: kills, held: 0, other: 0, unseen: 0 });
    }
  });

  it.each(['claimed', 'called'] as const)('repeat nothing anywhere: %s', (name) => {
    for (const kind of kinds) expect(tallyOf(name, kind).twice).toBe(0);
  });

  it.each(['stored', 'answered'] as const)(
    'repeat a post on Telegram alone, where nobody can tell that it has arrived: %s',
    (name) => {
      const twice = kinds.map((kind) => tallyOf(name, kind).twice);
      expect(twice).toEqual([phases[name].kills, 0, 0, 0]);
    },
  );

  it.each(names)('leave it to an operator where the channel asks for that: %s', (name) => {
    const { kills } = phases[name];
    const hasArrived = name === 'stored' || name === 'answered';
    expect(tallyOf(name, 'telegram, hold')).toEqual({
      ...none,
      kills,
      held: kills,
      [hasArrived ? 'once' : 'unseen']: kills,
    });
  });
});

interface Lane {
  readonly name: PhaseName;
  readonly database: TestDatabase;
  readonly channels: ReadonlyMap<Kind, SandboxChannel>;
  readonly spawn: (recoverEveryMs: number) => Promise<SenderChild>;
}

async function openLane(name: PhaseName): Promise<Lane> {
  const database = await openDatabase();
  undo.push(() => database.close());
  const settings = { recovery_backoff: '0 seconds' };
  const counts = { telegram: 1, max: 1, vk: 1 };
  const workspaceId = name;
  const added = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts,
    settings,
  });
  const channels = new Map<Kind, SandboxChannel>(added.map((each) => [each.platform, each]));
  channels.set('telegram, hold', await addHoldingChannel(database, name));
  const { serviceLogin, servicePassword } = inject('postgres');
  const databaseUrl = addressOf(database.url, database.name, serviceLogin, servicePassword);
  const spawn = async (recoverEveryMs: number): Promise<SenderChild> => {
    const child = await spawnSender({ databaseUrl, apiUrls: urlsOf(sandbox), recoverEveryMs });
    undo.push(() => child.end('SIGKILL'));
    return child;
  };
  return { name, database, channels, spawn };
}

async function addHoldingChannel(database: TestDatabase, name: PhaseName): Promise<SandboxChannel> {
  const platform = 'telegram' as const;
  const targetId = String(-1_002_000_000_000 - names.indexOf(name));
  const channelId = 'telegram-hold';
  addChat(sandbox, platform, targetId, channelId);
  await addChannel(database.admin, name, channelId, {
    platform,
    target_id: targetId,
    auth_ref: platform,
    rate_group: platform,
    settings: { on_unknown: 'hold' },
  });
  return { channelId, platform, targetId };
}

const never = 3_600_000;

async function runLane(lane: Lane): Promise<void> {
  const healthy = await lane.spawn(50);
  // Loading takes a moment: the next one to die does it while the healthy one sends.
  let next = lane.spawn(never);
  for (let n = 1; n <= phases[lane.name].kills; n += 1) {
    const victim = await next;
    if (n < phases[lane.name].kills) next = lane.spawn(never);
    const text = `${phases[lane.name].words}, ${n}`;
    await post(lane.database.service, lane.name, text);
    await killWithin(lane, victim, text);
    await endLeases(lane);
    healthy.send();
    await count(lane, text);
    await healthy.rest();
  }
}

/** Lets the victim send the text until all of its sends are in the phase. */
async function killWithin(lane: Lane, victim: SenderChild, text: string): Promise<void> {
  const channels = [...lane.channels.values()];
  const shown = () => channels.map((each) => textsOf(sandbox, each).filter(is(text)).length);
  if (lane.name === 'stored') {
    for (const { platform, targetId: chat } of channels) {
      sandbox.faults.add({ kind: 'half_open', stored: true, times: 1, platform, chat });
    }
    victim.send();
    await vi.waitFor(() => expect(shown()).toEqual(channels.map(() => 1)), 60_000);
  } else {
    victim.send(lane.name);
    await victim.stopped(channels.length);
    const times = lane.name === 'answered' ? 1 : 0;
    expect(shown()).toEqual(channels.map(() => times));
  }
  expect(await victim.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
}

/** Lets the time of the leases pass. */
async function endLeases({ database }: Lane): Promise<void> {
  await database.admin.query(
    "update outrider.leases set lease_until = now() - interval '1 minute'",
  );
}

/** Waits until the text's deliveries have come to an end, and counts what became of them. */
async function count(lane: Lane, text: string): Promise<void> {
  const ended = await vi.waitFor(async () => {
    const rows = await queryRows(
      lane.database.admin,
      Ended,
      `select channel_id, status::text, last_error ->> 'code' as code from outrider.deliveries
       where rendered_text = $1 and status in ('sent', 'failed_permanent', 'dead')`,
      [text],
    );
    expect(rows).toHaveLength(kinds.length);
    return rows;
  }, 60_000);
  for (const [kind, channel] of lane.channels) {
    const tally = tallyOf(lane.name, kind);
    const row = ended.find((each) => each.channel_id === channel.channelId);
    const isHeld = row?.status === 'failed_permanent' && row.code === 'outcome_unknown';
    tally.kills += 1;
    tally[row?.status === 'sent' ? 'sent' : isHeld ? 'held' : 'other'] += 1;
    const times = textsOf(sandbox, channel).filter(is(text)).length;
    tally[times === 0 ? 'unseen' : times === 1 ? 'once' : 'twice'] += 1;
  }
}

const none: Tally = { kills: 0, sent: 0, held: 0, other: 0, unseen: 0, once: 0, twice: 0 };

function tallyOf(name: PhaseName, kind: Kind): Tally {
  const key = `${name} ${kind}`;
  const tally = tallies.get(key) ?? { ...none };
  tallies.set(key, tally);
  return tally;
}

function is(text: string): (other: string) => boolean {
  return (other) => other === text;
}

function table(): string {
  const heads = ['killed', 'platform', 'kills', 'sent', 'held', 'unseen', 'once', 'twice'];
  const rows = names.flatMap((name) =>
    kinds.map((kind) => {
      const { kills, sent, held, unseen, once, twice } = tallyOf(name, kind);
      return [phases[name].words, kind, kills, sent, held, unseen, once, twice].map(String);
    }),
  );
  return [heads, ...rows]
    .map((row) => row.map((cell, n) => (n < 2 ? cell.padEnd(19) : cell.padStart(7))).join(''))
    .join('\n');
}
