import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { PostView } from '../../sandbox/simulator.ts';
import { drawPicture } from '../../sandbox/vk/picture.ts';
import { wakeDispatchers } from '../../src/db/dispatch.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { keepMediaOrigin } from '../../src/db/media.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { setGroup } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { expectedTexts, filterOf, taggedPost } from '../support/posts/tagged-posts.ts';
import { serviceUrl } from '../support/processes/dispatcher-child.ts';
import { type RunningDispatcher, runDispatcher } from '../support/processes/running-dispatcher.ts';
import { chanceFaults } from '../support/sandbox/chance-faults.ts';
import {
  addSandboxChannels,
  addSenders,
  type SandboxChannel,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { type Platform, platforms } from '../support/sandbox/three-platforms.ts';
import {
  isFlood,
  isLost,
  startWatchedSandbox,
  type WatchedCall,
  type WatchedSandbox,
} from '../support/sandbox/watched-sandbox.ts';

// Forty channels, five hundred posts, and every twentieth call struck by a fault that passes. The limits
// of the providers are some times those of real life, so that what takes an hour there fits into a minute; the
// waits between attempts are shortened alike. A delivery has five attempts, as by default. Should all of them fail,
// which is rare, an operator requeues it.

const workspaceId = 'soak';
const counts = { telegram: 16, max: 12, vk: 12 };
const postCount = 500;
const faultShare = 0.05;
const seed = 20_261_116;

/**
 * What we say that the providers allow, in a chat and by a token, and what they do allow: three times as much in a
 * second, because calls that a busy machine held for two seconds come together. MAX also counts the calls that look for
 * a post whose answer was lost, VK those that bring a photo. Without a pace, some two hundred calls meet these limits.
 */
const declared = { channel: 6, group: 60 };
const hidden = {
  telegram: { chat: { calls: 36, ms: 3000 }, bot: { calls: 180, ms: 1000 } },
  max: { messages_per_second: 18, requests_per_second: 240 },
  vk: { user_rps: 180 },
};

const settings = {
  backoff_base: '200 milliseconds',
  backoff_factor: 1.5,
  backoff_cap: '2 seconds',
  group_cooldown: '1 second',
  not_ready_backoff_min: '100 milliseconds',
  not_ready_backoff_max: '500 milliseconds',
};

const database = await useDatabase();
let sandbox: WatchedSandbox;
let folder: string;
let channels: SandboxChannel[];
const dispatchers: RunningDispatcher[] = [];

const Delivery = z.object({
  channel_id: z.string(),
  status: z.string(),
  attempt: z.number(),
  rendered_text: z.string(),
  provider_message_id: z.string().nullable(),
});

let deliveries: Map<string, z.output<typeof Delivery>[]>;
let posts: Map<string, readonly PostView[]>;

const Dead = z.object({ delivery_id: z.string(), attempt: z.number(), attempt_limit: z.number() });

/** Deliveries as they were when they were found dead, before they were requeued. */
const dead: z.output<typeof Dead>[] = [];

beforeAll(async () => {
  await ensureEventPartitions(database.service, 1);
  folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-soak-'));
  sandbox = await startWatchedSandbox(chanceFaults(faultShare, seed));
  addSenders(sandbox);
  for (const platform of platforms) sandbox[platform].simulator.control('limits', hidden[platform]);
  const columns = { rate_rps: declared.channel, max_parallel: 4 };
  channels = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts,
    settings,
    columns,
  });
  await configure();
  const begun = Date.now();
  const setting = { url: serviceUrl(database), providers: urlsOf(sandbox), folder };
  // Patience enough for a busy machine: a fault that hangs is to be the only one that is given up on.
  for (let n = 0; n < 2; n += 1) {
    dispatchers.push(await runDispatcher({ ...setting, timeoutMs: 12_000 }));
  }
  await postAll();
  await vi.waitFor(ended, { timeout: 240_000, interval: 250 });
  await readOutcome();
  report(Date.now() - begun);
}, 300_000);

afterAll(async () => {
  await Promise.all(dispatchers.map((each) => each.stop()));
  await sandbox.close();
  await rm(folder, { recursive: true });
});

async function configure(): Promise<void> {
  for (const [index, { channelId }] of channels.entries()) {
    await database.admin.query(
      'update outrider.channels set route_filter = $3 where workspace_id = $1 and channel_id = $2',
      [workspaceId, channelId, JSON.stringify(filterOf(index))],
    );
  }
  for (const platform of platforms) {
    const group = { platform, rate_group: platform, rate_rps: declared.group };
    await setGroup(database.admin, workspaceId, group);
  }
}

/** Every fiftieth post has a picture. */
async function postAll(): Promise<void> {
  for (let n = 0; n < postCount; n += 1) {
    const media = n % 50 === 0 ? { media: [{ type: 'image', blob_ref: await picture(n) }] } : {};
    await enqueueMessagesAndDeliveries(database.service, {
      workspaceId,
      endpointId: null,
      kind: 'push',
      rawPayload: { ...taggedPost(n), ...media },
    });
    await wakeDispatchers(database.service);
  }
}

async function picture(n: number): Promise<string> {
  const bytes = (async function* () {
    yield drawPicture(64, 48, String(n));
  })();
  const blob = await folderStore(folder).put(bytes, { maxBytes: 1_000_000 });
  await keepMediaOrigin(database.service, { workspaceId, ...blob });
  return blob.blobRef;
}

/** Throws while a delivery is not over. One that is dead is requeued. */
async function ended(): Promise<void> {
  await requeueDead();
  const { count } = await queryRow(
    database.admin,
    z.object({ count: z.number() }),
    `select count(*)::int from outrider.deliveries
     where workspace_id = $1 and status in ('queued', 'retry', 'claimed', 'sending')`,
    [workspaceId],
  );
  if (count > 0) throw new Error(`${count} deliveries are not over`);
}

async function requeueDead(): Promise<void> {
  const found = await queryRows(
    database.admin,
    Dead,
    `select delivery_id, attempt, attempt_limit
     from outrider.deliveries where workspace_id = $1 and status = 'dead'`,
    [workspaceId],
  );
  if (found.length === 0) return;
  await requeueDeliveries(database.service, {
    workspaceId,
    deliveryIds: found.map((each) => each.delivery_id),
    operator: 'soak',
    reason: 'the faults pass',
  });
  await wakeDispatchers(database.service);
  dead.push(...found);
}

async function readOutcome(): Promise<void> {
  const rows = await queryRows(
    database.admin,
    Delivery,
    `select channel_id, status::text, attempt, rendered_text, provider_message_id
     from outrider.deliveries where workspace_id = $1`,
    [workspaceId],
  );
  deliveries = Map.groupBy(rows, (row) => row.channel_id);
  const chats = platforms.flatMap((platform) => sandbox[platform].simulator.chats());
  const byChat = new Map(chats.map((chat) => [chat.chat, chat.posts]));
  posts = new Map(channels.map((each) => [each.channelId, byChat.get(each.targetId) ?? []]));
}

/** Answers that a fault lost when the post was in the chat already. */
function lostAnswers(platform: Platform): WatchedCall[] {
  return sandbox.calls.filter(
    (call) => call.platform === platform && call.text !== '' && isLost(call),
  );
}

function countsOf(words: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));
}

/** How many more posts a platform's chats show than there are deliveries. */
function copies(platform: Platform): number {
  const own = channels.filter((each) => each.platform === platform);
  const shown = own.flatMap((each) => posts.get(each.channelId) ?? []);
  return shown.length - own.flatMap((each) => deliveries.get(each.channelId) ?? []).length;
}

function report(tookMs: number): void {
  const { calls } = sandbox;
  const all = [...deliveries.values()].flat();
  const struck = countsOf(calls.flatMap((call) => call.fault?.kind ?? []));
  const per = (count: (platform: Platform) => number): string =>
    platforms.map((platform) => `${platform} ${count(platform)}`).join(', ');
  const lines = [
    `soak: ${all.length} deliveries of ${postCount} posts to ${channels.length} channels in ${Math.round(tookMs / 1000)} s, at most ${Math.max(...all.map((each) => each.attempt))} attempts`,
    `${calls.length} calls, struck by ${[...struck].map(([kind, times]) => `${kind} ${times}`).join(', ')}`,
    `answers lost behind a stored post: ${per((platform) => lostAnswers(platform).length)}; copies: ${per(copies)}`,
    `dead after five attempts, and requeued: ${dead.length}`,
    `calls that met a hidden limit: ${calls.filter(isFlood).length}`,
  ];
  console.log(lines.join('\n  '));
}

function byText<T extends { text: string }>(rows: readonly T[]): T[] {
  return rows.toSorted((one, other) => one.text.localeCompare(other.text));
}

describe('after the soak', () => {
  it('every post has reached every channel that it is routed to, and no other', () => {
    const shown = channels.map(({ channelId }) => [
      channelId,
      ...new Set((posts.get(channelId) ?? []).map((post) => post.text).toSorted()),
    ]);
    expect(shown).toEqual(
      channels.map(({ channelId }, index) => [
        channelId,
        ...expectedTexts(index, postCount).toSorted(),
      ]),
    );
  });

  it('the deliveries say what the chats show, text by text and id by id', () => {
    for (const [index, { channelId }] of channels.entries()) {
      const shown = new Map((posts.get(channelId) ?? []).map((post) => [post.id, post.text]));
      const told = (deliveries.get(channelId) ?? []).map((each) => ({
        status: each.status,
        text: each.rendered_text,
        shown: shown.get(each.provider_message_id ?? ''),
      }));
      const expected = expectedTexts(index, postCount).map((text) => ({
        status: 'sent',
        text,
        shown: text,
      }));
      expect({ channelId, told: byText(told) }).toEqual({ channelId, told: byText(expected) });
    }
  });

  it('a post stands twice only on Telegram, and only behind an answer that was lost', () => {
    for (const { channelId, platform, targetId } of channels) {
      const lost = lostAnswers(platform).filter((call) => call.chat === targetId);
      const again = platform === 'telegram' ? lost.map((call) => call.text) : [];
      const once = (deliveries.get(channelId) ?? []).map((each) => each.rendered_text);
      const shown = (posts.get(channelId) ?? []).map((post) => post.text);
      expect({ channelId, shown: shown.toSorted() }).toEqual({
        channelId,
        shown: [...once, ...again].toSorted(),
      });
    }
  });

  it('a delivery was dead only when its attempts were used up', () => {
    for (const { attempt, attempt_limit } of dead) {
      expect(attempt).toBe(attempt_limit);
      expect(attempt).toBeGreaterThanOrEqual(5);
    }
  });

  it('no call has met a hidden limit', () => {
    expect(sandbox.calls.filter(isFlood)).toEqual([]);
  });

  it('every kind of fault has struck on every platform', () => {
    const kindsOn = (platform: Platform): string[] => {
      const own = sandbox.calls.filter((call) => call.platform === platform);
      return [...new Set(own.flatMap((call) => call.fault?.kind ?? []))];
    };
    expect(kindsOn('telegram')).toHaveLength(8);
    expect(kindsOn('max')).toHaveLength(9);
    expect(kindsOn('vk')).toHaveLength(8);
    for (const platform of platforms) expect(lostAnswers(platform).length).toBeGreaterThan(0);
  });
});
