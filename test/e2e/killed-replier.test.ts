import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { runBotTurn, takeBotUpdate } from '../../src/db/bot.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addPerson, addSandboxBot, type Person } from '../support/bot/sandbox-bot.ts';
import { addressOf, openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { type SenderChild, spawnSender } from '../support/processes/sender-child.ts';
import { addSenders, urlsOf } from '../support/sandbox/sandbox-channels.ts';
import { liftLimits } from '../support/sandbox/sandbox-posts.ts';

// Eight senders are killed with -9, each while it sends answers to seven chats, all in the same phase: 56 answers. A
// healthy sender finishes what they have left. The same question is asked in every round, so that the answers of a chat
// are all alike, and only their places tell them apart.

const phases = ['claimed', 'called', 'stored', 'answered'] as const;
type Phase = (typeof phases)[number];
const rounds = 2;
const chats = { max: 4, telegram: 3 } as const;
const workspace = 'shop';
const answer = 'За три дня, Аня.';
const never = 3_600_000;

const undo: (() => unknown)[] = [];
const shown = new Map<Phase, { readonly max: number[]; readonly telegram: number[] }>();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  undo.push(() => sandbox.close());
  addSenders(sandbox);
  liftLimits(sandbox);
  for (const phase of phases) await runPhase(phase);
});

afterAll(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

describe('senders of replies, killed with -9', () => {
  it.each(phases)('leave no question unanswered: %s', (phase) => {
    const counts = shown.get(phase);
    expect(counts?.max).toHaveLength(chats.max);
    expect(counts?.telegram).toHaveLength(chats.telegram);
    const least = Math.min(...(counts?.max ?? []), ...(counts?.telegram ?? []));
    expect(least).toBeGreaterThanOrEqual(rounds);
  });

  it.each(phases)('repeat nothing on MAX: %s', (phase) => {
    expect(shown.get(phase)?.max).toEqual(Array.from({ length: chats.max }, () => rounds));
  });

  it.each(['claimed', 'called'] as const)(
    'repeat nothing on Telegram before it got it: %s',
    (phase) => {
      const once = Array.from({ length: chats.telegram }, () => rounds);
      expect(shown.get(phase)?.telegram).toEqual(once);
    },
  );
});

interface Lane {
  readonly phase: Phase;
  readonly database: TestDatabase;
  readonly people: readonly Person[];
  readonly spawn: (recoverEveryMs: number) => Promise<SenderChild>;
}

async function runPhase(phase: Phase): Promise<void> {
  const lane = await openLane(phase);
  const healthy = await lane.spawn(50);
  for (let round = 1; round <= rounds; round += 1) {
    const victim = await lane.spawn(never);
    await ask(lane);
    await killWithin(lane, victim);
    await lane.database.admin.query(
      `update outrider.bot_outbox set lease_until = now() - interval '1 minute' where status = 'sending'`,
    );
    healthy.send();
    await allSent(lane, round);
    await healthy.rest();
  }
  await healthy.end('SIGKILL');
  const counts = (platform: string) =>
    lane.people.filter((each) => each.platform === platform).map((each) => each.answers().length);
  shown.set(phase, { max: counts('max'), telegram: counts('telegram') });
}

async function openLane(phase: Phase): Promise<Lane> {
  const database = await openDatabase();
  undo.push(() => database.close());
  await addSandboxBot(database.service, workspace, {
    settings: { recovery_backoff: '0 seconds', outage_after_channels: 100 },
  });
  const of = (platform: 'max' | 'telegram') =>
    Array.from({ length: chats[platform] }, () => addPerson(sandbox, platform));
  const { serviceLogin, servicePassword } = inject('postgres');
  const databaseUrl = addressOf(database.url, database.name, serviceLogin, servicePassword);
  const apiUrls = urlsOf(sandbox);
  const spawn = async (recoverEveryMs: number): Promise<SenderChild> => {
    const child = await spawnSender({ databaseUrl, apiUrls, recoverEveryMs, role: 'bot' });
    undo.push(() => child.end('SIGKILL'));
    return child;
  };
  return { phase, database, people: [...of('max'), ...of('telegram')], spawn };
}

/** Everybody asks; the bot has decided what to say. */
async function ask({ database, people }: Lane): Promise<void> {
  for (const { platform, chatId } of people) {
    const providerMessageId = randomUUID();
    const update = {
      chatId,
      providerMessageId,
      kind: 'message',
      text: 'доставка',
      sender: { name: 'Аня' },
    } as const;
    const key = { workspaceId: workspace, provider: platform };
    await takeBotUpdate(database.service, {
      ...key,
      endpointId: platform,
      update,
      traceId: providerMessageId,
    });
    await runBotTurn(database.service, { ...key, chatId, providerMessageId });
  }
}

/** Lets the victim send until all of its sends are in the phase. */
async function killWithin({ phase, people }: Lane, victim: SenderChild): Promise<void> {
  const counts = () => people.map((each) => each.answers().length);
  const before = counts();
  if (phase === 'stored') {
    for (const { platform, chatId: chat } of people) {
      sandbox.faults.add({ kind: 'half_open', stored: true, times: 1, platform, chat });
    }
    victim.send();
    await vi.waitFor(() => expect(counts()).toEqual(before.map((each) => each + 1)), 60_000);
  } else {
    victim.send(phase);
    await victim.stopped(people.length);
  }
  expect(await victim.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
}

const Sent = z.object({ sent: z.number() });

async function allSent({ database, people }: Lane, round: number): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await queryRows(
      database.admin,
      Sent,
      `select count(*)::int as sent from outrider.bot_outbox where status = 'sent' and reply ->> 'text' = $1`,
      [answer],
    );
    expect(rows).toEqual([{ sent: round * people.length }]);
  }, 60_000);
}
