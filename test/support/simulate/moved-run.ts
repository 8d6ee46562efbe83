// Runs the real dispatcher, the real adapters and the sandbox on its sockets on a clock that is moved. The timers of the
// whole process are the test's; they are moved on when no call of the database or of a platform is under way.
//
// A call of the database that fails ends the run: it costs no time, so minutes of the moved clock would pass, and posting
// windows with them, while a database is away for a moment.

import { vi } from 'vitest';
import { startSandbox } from '../../../sandbox/start.ts';
import { applyWorkspace } from '../../../src/db/apply.ts';
import { enqueueBatch } from '../../../src/db/intake.ts';
import { createDeliver } from '../../../src/dispatch/deliver.ts';
import { startDispatcher } from '../../../src/dispatch/dispatcher.ts';
import { createTransport } from '../../../src/http/transport.ts';
import { silentLog } from '../../../src/log.ts';
import { folderStore } from '../../../src/media/folder-store.ts';
import { createSecrets } from '../../../src/secrets.ts';
import type { Arrival } from '../../../src/simulate/delivery.ts';
import type { TestDatabase } from '../database/test-database.ts';
import {
  addChat,
  addSenders,
  sandboxAdapters,
  sandboxSecrets,
  urlsOf,
} from '../sandbox/sandbox-channels.ts';
import type { Platform } from '../sandbox/three-platforms.ts';
import { movedClient } from './moved-client.ts';

export interface MovedRun {
  readonly workspaceId: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly chats: readonly { platform: Platform; targetId: string }[];
  readonly arrivals: readonly Arrival[];
  /** Faults that the sandbox plays: the n-th call of a chat, from 0. */
  readonly faults: readonly {
    platform: Platform;
    targetId: string;
    call: number;
    kind: 'rate_limited' | 'server_error';
    retryAfter?: number;
  }[];
  /** How long each call takes, by the moved clock. */
  readonly callMs: number;
  /** It ends when so many have been sent. */
  readonly deliveries: number;
}

/** Moves the clock at most so often: more is a run that does not end. */
const mostMoves = 20_000;
/** By the real clock: how long a call may take, and a run. A test has to allow for more, or its limit hides what we say. */
const longestCallMs = 45_000;
const longestRunMs = 240_000;

export async function runMoved(database: TestDatabase, run: MovedRun): Promise<void> {
  const { workspaceId, arrivals } = run;
  vi.useFakeTimers({
    now: arrivals[0]?.at ?? 0,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  const sandbox = await startSandbox();
  const transport = createTransport();
  const nowIso = (): string => new Date(Date.now()).toISOString();
  const client = movedClient(database.service, nowIso);
  let sending = 0;
  let sent = 0;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const real = createDeliver({
    client,
    adapters: sandboxAdapters(transport, urlsOf(sandbox), { now: () => new Date() }),
    secrets: createSecrets(sandboxSecrets),
    store: folderStore('/nonexistent'),
    now: () => new Date(),
    wait,
  });
  try {
    await applyWorkspace(
      database.admin,
      { document: run.document, prune: false, dryRun: false },
      nowIso(),
    );
    addSenders(sandbox);
    for (const { platform, targetId } of run.chats) addChat(sandbox, platform, targetId, targetId);
    scriptFaults(sandbox.faults, run.faults);
    const dispatcher = startDispatcher({
      client,
      log: silentLog,
      concurrency: 500,
      drainMs: 1000,
      clock: {
        now: () => Date.now(),
        after(ms, work) {
          const timer = setTimeout(work, ms);
          return () => clearTimeout(timer);
        },
      },
      async deliver(...args) {
        sending += 1;
        const outcome = await real(...args).finally(() => {
          sending -= 1;
        });
        await wait(run.callMs);
        sent += outcome.ok ? 1 : 0;
        return outcome;
      },
    });
    const takeIn = async (items: object[]): Promise<void> => {
      await enqueueBatch(client, { workspaceId, kind: 'pull', items }, nowIso());
      dispatcher.wake(workspaceId);
    };
    for (const [at, posts] of Map.groupBy(arrivals, (each) => each.at)) {
      const items = posts.map(({ post }) => post);
      // A failure ends the run (client.fault).
      setTimeout(() => void takeIn(items).catch(() => undefined), at - Date.now());
    }
    const until = performance.now() + longestRunMs;
    for (let moves = 0; sent < run.deliveries; moves += 1) {
      const isQuiet = await quiet(() => sending + client.underWay().length);
      const isLate = !isQuiet || moves > mostMoves || performance.now() > until;
      if (isLate || client.fault() !== undefined) {
        const facts = { sent, sending, at: nowIso(), moves, calls: client.underWay() };
        throw new Error(await stateOf(database, { ...facts, fault: client.fault() }));
      }
      moveOn();
    }
    await quiet(() => sending + client.underWay().length);
    vi.useRealTimers();
    await dispatcher.stop();
  } finally {
    vi.useRealTimers();
    await transport.close();
    await sandbox.close();
  }
}

/** Why a run cannot go on, for whoever reads the failure: what is under way, and what the other deliveries wait for. */
async function stateOf(database: TestDatabase, facts: object): Promise<string> {
  vi.useRealTimers();
  const questions = {
    deliveries: `select channel_id, status, attempt, last_error ->> 'code' as code, min(not_before) as not_before,
        min(next_retry_at) as next_retry_at, count(*)::int
      from outrider.deliveries where status <> 'sent' group by 1, 2, 3, 4`,
    queue: `select channel_id, claimed, weight, min(available_at)::text as first, count(*)::int
      from outrider.delivery_queue group by 1, 2, 3`,
    leases: 'select channel_id, run_id, lease_until, open_count from outrider.leases',
    channels: `select channel_id, enabled, cooldown_until, paused_until, closed_until, next_allowed_at, quiet_until
      from outrider.channels join outrider.channel_pace using (workspace_id, channel_id)
      where channel_id in (select channel_id from outrider.delivery_queue)`,
    groups: `select platform, rate_group, next_allowed_at, cooldown_until, resting_until, outage_since, outage_channels,
        closed_at from outrider.platform_limits`,
    sessions: `select pid, state, wait_event_type, wait_event, now() - state_change as since, pg_blocking_pids(pid) as blocked_by,
        left(query, 80) as query
      from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  };
  const lines = [`the run cannot go on: ${JSON.stringify(facts)}`];
  for (const [name, question] of Object.entries(questions)) {
    const { rows } = await database.admin.query(question);
    lines.push(`${name}: ${JSON.stringify(rows)}`);
  }
  return lines.join('\n');
}

/** Moves the clock to the next timers and runs them. A timer takes a millisecond at least, as real ones do. */
function moveOn(): void {
  const before = Date.now();
  vi.advanceTimersToNextTimer();
  vi.advanceTimersByTime(Date.now() === before ? 1 : 0);
}

/**
 * Resolves when nothing is under way and nothing that has just ended has begun anything new; with false when that takes
 * too long.
 */
async function quiet(underWay: () => number): Promise<boolean> {
  const since = performance.now();
  for (let turns = 0; turns < 4; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (underWay() > 0) turns = 0;
    if (performance.now() - since > longestCallMs) return false;
  }
  return true;
}

type Faults = Awaited<ReturnType<typeof startSandbox>>['faults'];

/** A fault that strikes is not counted by those after it in the script. */
function scriptFaults(script: Faults, faults: MovedRun['faults']): void {
  const byChat = Map.groupBy(faults, ({ platform, targetId }) => `${platform} ${targetId}`);
  for (const ofChat of byChat.values()) {
    for (const [n, fault] of ofChat.toSorted((a, b) => a.call - b.call).entries()) {
      const { platform, targetId: chat, call, kind, retryAfter } = fault;
      script.add({ kind, platform, chat, after: call - n, times: 1, retryAfter });
    }
  }
}
