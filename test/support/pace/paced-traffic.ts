// Sends posts to one platform in virtual time, always more than the pace allows. The functions of the database, the
// adapter with its pace, and the simulator on its socket are the real ones. Only the dispatcher's loop is imitated,
// because its time must be moved.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../../sandbox/start.ts';
import { drawPicture } from '../../../sandbox/vk/picture.ts';
import { applyWorkspace } from '../../../src/db/apply.ts';
import { claimDeliveries } from '../../../src/db/claim.ts';
import { int8 } from '../../../src/db/columns.ts';
import { commitOutcomes, type Outcome } from '../../../src/db/commit.ts';
import { nextDueAt } from '../../../src/db/dispatch.ts';
import { enqueueBatch } from '../../../src/db/intake.ts';
import { keepMediaOrigin } from '../../../src/db/media.ts';
import { queryRow } from '../../../src/db/query-rows.ts';
import type { Deliver } from '../../../src/dispatch/deliver.ts';
import { folderStore } from '../../../src/media/folder-store.ts';
import { start } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { addChat, addSenders, sandboxDeliver, urlsOf } from '../sandbox/sandbox-channels.ts';
import type { Platform } from '../sandbox/three-platforms.ts';
import { type VirtualTime, virtualTime } from '../time/virtual-time.ts';
import { countCalls } from './counted-calls.ts';

export interface TrafficOptions {
  readonly platform: Platform;
  /** How many channels share one credential. */
  readonly channels: number;
  /** How many photos the n-th post has. */
  readonly photosOf: (post: number) => number;
  /** Limits in place of the platform's own, and the share of the preset's rate that fits them. */
  readonly scaled?: { readonly limits: object; readonly share: number };
}

export interface Traffic {
  /** The share of the budget that was used. The budget is what the rate of the group allows in that time. */
  readonly used: number;
  readonly refusals: readonly string[];
  /** Outcomes of sends that did not succeed at once. */
  readonly failures: readonly Outcome[];
}

const begin = Date.parse(start);
const postsAtOnce = 20;
/** How soon after the end of a send its place is claimed again. */
const claimAfterMs = 300;

export async function runPacedTraffic(
  database: TestDatabase,
  options: TrafficOptions,
  minutes: number,
): Promise<Traffic> {
  const { platform } = options;
  const time = virtualTime(begin, lateness());
  const counted = countCalls(platform);
  const sandbox = await startSandbox({
    clock: time.clock,
    simulators: { [platform]: counted.create },
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-pace-'));
  const senders = sandboxDeliver(database.service, urlsOf(sandbox), {
    folder,
    time: { now: () => new Date(time.clock.now()), wait: (ms) => time.wait(ms) },
  });
  try {
    const rate = await configure(database, sandbox, options);
    const post = poster(database, options, time, folder);
    const failures = await play(
      { database, deliver: senders.deliver, time, post, options },
      begin + minutes * 60_000,
    );
    const used = counted.taken() / (rate * minutes * 60);
    return { used, refusals: counted.refusals, failures };
  } finally {
    await senders.close();
    await sandbox.close();
    await rm(folder, { recursive: true });
  }
}

/** Delays of up to 190 ms, from a sequence that is the same in every run. */
function lateness(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state / 2_147_483_647) * 190;
  };
}

const RateGroups = z.object({
  rate_groups: z.record(z.string(), z.record(z.string(), z.object({ rate_rps: z.number() }))),
});

/** Adds the channels, in a group with the rate of presets/demo.yaml; answers with that rate. */
async function configure(
  database: TestDatabase,
  sandbox: Sandbox,
  { platform, channels, scaled = { limits: {}, share: 1 } }: TrafficOptions,
): Promise<number> {
  const preset = path.resolve(import.meta.dirname, '../../../presets/demo.yaml');
  const { rate_groups: groups } = RateGroups.parse(parse(await readFile(preset, 'utf8')));
  const [group] = Object.values(groups[platform] ?? {});
  if (group === undefined) throw new Error(`the preset has no limit for ${platform}`);
  const rate = group.rate_rps * scaled.share;
  addSenders(sandbox);
  sandbox[platform].simulator.control('limits', scaled.limits);
  const targets = Array.from({ length: channels }, (_, n) => String(firstTargets[platform] - n));
  for (const [n, target] of targets.entries()) addChat(sandbox, platform, target, `chat ${n}`);
  const document = {
    workspace: platform,
    credentials: { bot: { platform, secret_ref: `env:${platform.toUpperCase()}_TOKEN` } },
    rate_groups: { [platform]: { bot: { rate_rps: rate } } },
    channels: Object.fromEntries(
      targets.map((target, n) => [`c${n}`, { platform, target_id: target, auth_ref: 'bot' }]),
    ),
  };
  await applyWorkspace(database.admin, { document, prune: false, dryRun: false }, start);
  return rate;
}

const firstTargets: Readonly<Record<Platform, number>> = {
  telegram: -1_001_000_000_000,
  max: -70_000_000_000_000,
  vk: -200_000_000,
};

/** Queues new posts for all channels when fewer than `postsAtOnce` for each of them wait. */
function poster(
  { admin, service }: TestDatabase,
  { platform, channels, photosOf }: TrafficOptions,
  time: VirtualTime,
  folder: string,
): () => Promise<void> {
  const store = folderStore(folder);
  const workspaceId = platform;
  let count = 0;

  async function photo(seed: string) {
    const bytes = (async function* () {
      yield drawPicture(40, 30, seed);
    })();
    const blob = await store.put(bytes, { maxBytes: 100_000 });
    await keepMediaOrigin(service, { workspaceId, ...blob }, time.now());
    return { type: 'image', blob_ref: blob.blobRef };
  }

  async function post() {
    count += 1;
    const media = Array.from({ length: photosOf(count) }, (_, n) => photo(`${count} ${n}`));
    const text = `Post ${count}`;
    return media.length === 0 ? { text } : { text, media: await Promise.all(media) };
  }

  return async () => {
    const { waiting } = await queryRow(
      admin,
      z.object({ waiting: int8 }),
      'select count(*) as waiting from outrider.delivery_queue where workspace_id = $1',
      [workspaceId],
    );
    if (waiting >= channels * postsAtOnce) return;
    const items = await Promise.all(Array.from({ length: postsAtOnce }, post));
    await enqueueBatch(service, { workspaceId, kind: 'pull', items }, time.now());
  };
}

interface Scene {
  readonly database: TestDatabase;
  readonly deliver: Deliver;
  readonly time: VirtualTime;
  readonly post: () => Promise<void>;
  readonly options: TrafficOptions;
}

/** Claims, sends and commits until `end`; answers with the outcomes that were failures. */
async function play(
  { database, deliver, time, post, options }: Scene,
  end: number,
): Promise<Outcome[]> {
  const { service } = database;
  const { clock } = time;
  const workspaceId = options.platform;
  const request = { workspaceId, runId: 'paced', limit: 500 };
  const { signal } = new AbortController();
  const failures: Outcome[] = [];
  let ended: Outcome[] = [];
  let postAt = begin;
  let dueAt = begin;
  while (clock.now() < end) {
    if (clock.now() >= postAt) {
      await post();
      postAt += 5000;
      dueAt = clock.now();
    }
    if (dueAt <= clock.now()) {
      for (const delivery of await claimDeliveries(service, request, time.now())) {
        const send = deliver(workspaceId, delivery, { signal, holds: () => true });
        time.start(send.then((outcome) => void ended.push(outcome)));
      }
      const due = await nextDueAt(service, time.now());
      dueAt = Math.max(due?.getTime() ?? Number.POSITIVE_INFINITY, clock.now() + 1);
    }
    await time.settle();
    if (ended.length > 0) {
      failures.push(...ended.filter((outcome) => !outcome.ok));
      await commitOutcomes(service, workspaceId, ended, time.now());
      ended = [];
      dueAt = Math.min(dueAt, clock.now() + claimAfterMs);
    }
    time.moveOn(Math.min(dueAt, postAt));
  }
  return failures;
}
