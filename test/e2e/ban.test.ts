import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { wakeDispatchers } from '../../src/db/dispatch.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import type { Facts, Log } from '../../src/log.ts';
import { addChannel, setGroup } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { serviceUrl } from '../support/processes/dispatcher-child.ts';
import { type RunningDispatcher, runDispatcher } from '../support/processes/running-dispatcher.ts';
import {
  addChat,
  addSandboxChannels,
  addSenders,
  type SandboxChannel,
  sandboxTokens,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import {
  isFlood,
  startWatchedSandbox,
  type WatchedCall,
  type WatchedSandbox,
} from '../support/sandbox/watched-sandbox.ts';

// One bot is said to take far more than it does, and gets banned again and again; a second bot and MAX are
// not. Two dispatchers send, so that one of them has to hear of a ban that the other one met.

const workspaceId = 'ban';
const postCount = 8;
const texts = Array.from({ length: postCount }, (_, n) => `Post ${n}`);
const secondToken = '4300:AAcanary-of_the-second-C4naryC4naryC4nary';

/**
 * A bot takes twenty within three seconds; of the first one we say that it takes a hundred in one. The second one stays
 * below that also when a busy machine holds its calls for three seconds, and they come together.
 */
const hidden = { chat: null, bot: { calls: 20, ms: 3000 } };
const declared = { telegram: 100, second: 3 };

const database = await useDatabase();
let sandbox: WatchedSandbox;
let channels: SandboxChannel[];
const dispatchers: RunningDispatcher[] = [];

/** When a dispatcher knew that a delivery was refused for now. */
const known: { deliveryId: unknown; at: number }[] = [];

const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn(_message: string, facts: Facts = {}) {
    if (facts['code'] === 'rate_limited')
      known.push({ deliveryId: facts['delivery_id'], at: Date.now() });
  },
  error: () => undefined,
  with: () => log,
};

beforeAll(async () => {
  await ensureEventPartitions(database.service, 1);
  sandbox = await startWatchedSandbox();
  addSenders(sandbox);
  sandbox.telegram.simulator.control('limits', hidden);
  // Its chats have no pace here, and a busy machine brings calls closer to one another.
  sandbox.max.simulator.control('limits', { messages_per_second: 100 });
  const added = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts: { telegram: 8, max: 3 },
    // A ban is no failed attempt: none of the posts may be given up after five.
    settings: { backoff_base: '200 milliseconds' },
    columns: { rate_rps: null, max_parallel: 5 },
  });
  channels = [...added, ...(await addSecondBot())];
  for (const group of [
    { rate_group: 'telegram', rate_rps: declared.telegram },
    { rate_group: 'second', rate_rps: declared.second },
    { platform: 'max', rate_group: 'max', rate_rps: 4 },
  ]) {
    await setGroup(database.admin, workspaceId, group);
  }
  const setting = { url: serviceUrl(database), providers: urlsOf(sandbox), log };
  for (let n = 0; n < 2; n += 1) {
    dispatchers.push(await runDispatcher({ ...setting, secrets: { SECOND_TOKEN: secondToken } }));
  }
  for (const text of texts) {
    const request = { workspaceId, endpointId: null, kind: 'push', rawPayload: { text } } as const;
    await enqueueMessagesAndDeliveries(database.service, request);
  }
  await wakeDispatchers(database.service);
});

afterAll(async () => {
  await Promise.all(dispatchers.map((each) => each.stop()));
  await sandbox.close();
});

async function addSecondBot(): Promise<SandboxChannel[]> {
  const own = { platform: 'telegram', auth_ref: 'second', rate_group: 'second' } as const;
  sandbox.telegram.simulator.control('bots', { token: secondToken, username: 'second_bot' });
  await database.admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, 'second', 'telegram', 'env:SECOND_TOKEN', now())`,
    [workspaceId],
  );
  const added: SandboxChannel[] = [];
  for (let n = 1; n <= 3; n += 1) {
    const channelId = `second-${n}`;
    const targetId = String(-1_001_500_000_000 - n);
    addChat(sandbox, 'telegram', targetId, channelId);
    await addChannel(database.admin, workspaceId, channelId, { ...own, target_id: targetId });
    added.push({ channelId, platform: 'telegram', targetId });
  }
  return added;
}

function callsOf(token: string): WatchedCall[] {
  return sandbox.calls.filter((call) => call.path.startsWith(`/bot${token}/`));
}

const RetryAfter = z.object({ parameters: z.object({ retry_after: z.number() }) });

interface Ban {
  readonly refused: WatchedCall;
  readonly from: number;
  readonly to: number;
}

function bansOf(token: string): Ban[] {
  return callsOf(token)
    .filter(isFlood)
    .map((refused) => {
      const { parameters } = RetryAfter.parse(JSON.parse(refused.reply?.body ?? ''));
      const from = refused.repliedAt ?? 0;
      return { refused, from, to: from + parameters.retry_after * 1000 };
    });
}

const Attempt = z.object({
  delivery_id: z.string(),
  target_id: z.string(),
  rendered_text: z.string(),
  /** In milliseconds, like the sandbox's. */
  at: z.number(),
});

/** All attempts, by the chat and the text of their delivery, oldest first. */
async function readAttempts(): Promise<Map<string, z.output<typeof Attempt>[]>> {
  const rows = await queryRows(
    database.admin,
    Attempt,
    `select d.delivery_id, c.target_id, d.rendered_text, (extract(epoch from e.ts) * 1000)::float8 as at
     from outrider.events e
     join outrider.deliveries d on d.workspace_id = e.workspace_id and d.delivery_id = e.delivery_id
     join outrider.channels c on c.workspace_id = d.workspace_id and c.channel_id = d.channel_id
     where e.workspace_id = $1 and e.action = 'send_attempt' order by e.ts`,
    [workspaceId],
  );
  return Map.groupBy(rows, (row) => `${row.target_id} ${row.rendered_text}`);
}

const keyOf = (call: WatchedCall): string => `${call.chat} ${call.text}`;

/** When a dispatcher has had the refusal on record. */
function knownAt(
  { refused, from }: Ban,
  attempts: Awaited<ReturnType<typeof readAttempts>>,
): number | undefined {
  const ids = attempts.get(keyOf(refused))?.map((each) => each.delivery_id);
  return known.find((each) => each.at >= from && ids?.includes(String(each.deliveryId)))?.at;
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await queryRows(
    database.admin,
    z.object({ status: z.string(), count: z.number() }),
    'select status::text, count(*)::int from outrider.deliveries where workspace_id = $1 group by 1',
    [workspaceId],
  );
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}

describe('a bot whose limit is lower than declared', () => {
  it('is banned, and delivers everything in the end', async () => {
    const all = { sent: channels.length * postCount };
    await vi.waitFor(async () => expect(await statuses()).toEqual(all), {
      timeout: 120_000,
      interval: 250,
    });
    for (const channel of channels) {
      expect(textsOf(sandbox, channel).toSorted()).toEqual(texts.toSorted());
    }
    expect(bansOf(sandboxTokens.telegram).length).toBeGreaterThan(0);
  });

  it('sends nothing during a ban but what was under way when the refusal came', async () => {
    const attempts = await readAttempts();
    const calls = callsOf(sandboxTokens.telegram);
    const bans = bansOf(sandboxTokens.telegram);
    const claimedAt = (call: WatchedCall): number =>
      attempts.get(keyOf(call))?.findLast((each) => each.at <= call.at)?.at ?? Infinity;
    const underWay = new Map<WatchedCall, number>();
    for (const ban of bans) {
      const { refused, from, to } = ban;
      const during = calls.filter((call) => call !== refused && call.at > from && call.at < to);
      for (const call of during) underWay.set(call, underWay.get(call) ?? call.at - from);
      // Claimed before the refusal was on record: nobody could know.
      const late = during.filter((call) => claimedAt(call) > (knownAt(ban, attempts) ?? 0));
      expect(late).toEqual([]);
    }
    const spans = bans.map(({ from, to }) => to - from);
    const behind = Math.max(0, ...underWay.values());
    console.log(
      `ban: ${bans.length} refusals of ${calls.length} calls, for up to ${Math.max(...spans)} ms; ` +
        `${underWay.size} calls that were under way came in behind a refusal, at most ${behind} ms`,
    );
  });

  it('holds up neither another bot nor another platform', async () => {
    const attempts = await readAttempts();
    const bans = bansOf(sandboxTokens.telegram).map((ban) => {
      return { from: knownAt(ban, attempts) ?? Infinity, to: ban.to };
    });
    /** How many were claimed while a ban was known. */
    const claimedDuring = (chosen: readonly SandboxChannel[]): number => {
      const targets = new Set(chosen.map((each) => each.targetId));
      return [...attempts.values()]
        .flat()
        .filter((each) => targets.has(each.target_id))
        .filter(({ at }) => bans.some(({ from, to }) => at > from && at < to)).length;
    };
    const ofSecond = channels.filter((each) => each.channelId.startsWith('second-'));
    const ofMax = channels.filter((each) => each.platform === 'max');
    expect(claimedDuring(ofSecond)).toBeGreaterThan(1);
    expect(claimedDuring(ofMax)).toBeGreaterThan(1);
    const others = [
      ...callsOf(secondToken),
      ...sandbox.calls.filter((call) => call.platform === 'max'),
    ];
    expect(others.filter(isFlood)).toEqual([]);
  });
});
