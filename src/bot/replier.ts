// The replier: claims the answers that are due, of all bots, and has them sent.
//
// One loop claims. It runs when it is woken (a turn left an answer, a send ended), when the next answer comes due, and in
// any case after `pollMs`. Sends run side by side; of one chat the database gives out one answer at a time.
//
//   running → stop() → draining: nothing is claimed, sends under way may end within the grace → stopped

import { randomUUID } from 'node:crypto';
import { createAlarm } from '../alarm.ts';
import { waitAfter } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import {
  type ClaimedReply,
  claimBotReplies,
  nextBotReplyAt,
  type ReplyOutcome,
  type ReplyVerdict,
} from '../db/bot.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import { type Health, healthy, type Service } from '../service.ts';
import { createReplyCommits } from './reply-commits.ts';
import { createReplyLeases, type HeldReply } from './reply-leases.ts';
import type { SendReply } from './send-reply.ts';
import { unbroken } from './unbroken.ts';

export interface ReplierOptions {
  /** For claims. */
  readonly client: Queryable;
  /** For outcomes and leases, which must not wait behind claims; `client` when missing. */
  readonly reserve?: Queryable | undefined;
  readonly sendReply: SendReply;
  readonly log: Log;
  /** What leases and waits are measured by: a wall clock that is set back would make a wait longer. */
  readonly clock: Clock;
  /** The most sends at once. */
  readonly concurrency: number;
  /** How long sends under way may go on after stop(). */
  readonly drainMs: number;
  /** How long the loop sleeps at most. */
  readonly pollMs?: number | undefined;
}

export interface Replier extends Service {
  /** An answer may be due. Returns false if this replier cannot claim it now. */
  wake(): boolean;
}

const largestClaim = 500;
/** After a claim we wait this long for more before we make the next: small claims cost more for each answer. */
const gatherMs = 10;
const outage = { baseMs: 100, capMs: 5000 };
/** Something is due and cannot be had: somebody holds its rate group for a moment. */
const blocked = { baseMs: 20, capMs: 100 };
const silentMs = 15_000;
/** How long we wait, after the grace, for a database that is away. */
const lastTryMs = 5000;

export function startReplier(options: ReplierOptions): Replier {
  const { client, reserve = client, log, clock, concurrency, drainMs } = options;
  const { pollMs = 1000 } = options;
  const sendReply = unbroken(options.sendReply, log);
  const runId = `bot:${randomUUID()}`;
  const alarm = createAlarm();
  const leases = createReplyLeases(reserve, log, clock);
  const commits = createReplyCommits(reserve, log);
  const sends = new Map<Promise<void>, HeldReply>();
  let isStopping = false;
  let failures = 0;
  let emptyClaims = 0;
  let lookedAt = clock.now();
  let claimedAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    for (let wait = 0; !isStopping; ) {
      await alarm.sleep(wait);
      if (!isStopping) wait = await look();
    }
  }

  /** Claims what is due. Returns how long there is nothing more to do. */
  async function look(): Promise<number> {
    try {
      const wait = untilRoom() ?? ((await claim()) > 0 ? gatherMs : await untilDue());
      failures = 0;
      lookedAt = clock.now();
      return wait;
    } catch (error) {
      failures += 1;
      if (failures === 1) {
        log.warn('the database cannot be asked for answers', { error: String(error) });
      }
      return waitAfter(failures, outage, Math.random());
    }
  }

  function untilRoom(): number | undefined {
    if (sends.size >= concurrency) return pollMs;
    const rest = claimedAt + gatherMs - clock.now();
    return rest > 0 ? rest : undefined;
  }

  async function claim(): Promise<number> {
    const limit = Math.min(concurrency - sends.size, largestClaim);
    const askedAt = clock.now();
    const claimed = await claimBotReplies(client, { runId, limit });
    claimedAt = clock.now();
    for (const reply of claimed) begin(reply, askedAt);
    return claimed.length;
  }

  async function untilDue(): Promise<number> {
    const due = await nextBotReplyAt(client);
    const ahead = due === null ? pollMs : due.getTime() - Date.now();
    emptyClaims = ahead > 0 ? 0 : emptyClaims + 1;
    return Math.min(pollMs, ahead > 0 ? ahead : waitAfter(emptyClaims, blocked, Math.random()));
  }

  function begin(reply: ClaimedReply, askedAt: number): void {
    const held = leases.hold(reply, askedAt);
    const done = send(reply, held).finally(() => {
      held.letGo();
      sends.delete(done);
      alarm.ring();
    });
    sends.set(done, held);
  }

  async function send(reply: ClaimedReply, held: HeldReply): Promise<void> {
    const outcome = await sendReply(reply, held);
    report(reply, outcome, await commits.commit(reply.workspaceId, outcome));
  }

  function report(
    { workspaceId, platform, replyId, traceId, attempt }: ClaimedReply,
    outcome: ReplyOutcome,
    verdict: ReplyVerdict | undefined,
  ): void {
    const facts = {
      workspace_id: workspaceId,
      platform,
      reply_id: replyId,
      trace_id: traceId,
      attempt,
      became: verdict === undefined ? 'unrecorded' : (verdict.became ?? 'stale'),
    };
    if (outcome.ok && verdict?.became === 'sent') {
      log.debug('answered', { ...facts, provider_message_id: outcome.providerMessageId });
      return;
    }
    const why = outcome.ok ? {} : { code: outcome.error.code, error: outcome.error.message };
    log.warn('an answer was not sent, or not recorded', { ...facts, ...why });
  }

  async function ended(withinMs: number): Promise<boolean> {
    const rest = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    await Promise.race([Promise.all(sends.keys()), rest]);
    return sends.size === 0;
  }

  async function drain(): Promise<void> {
    if (!(await ended(drainMs))) {
      log.warn('breaking off answers that are still being sent', { count: sends.size });
      for (const held of sends.values()) held.breakOff.abort();
      if (!(await ended(lastTryMs))) commits.giveUp();
      await Promise.all(sends.keys());
    }
    leases.stop();
  }

  const running = run();
  log.info('answering', { run_id: runId, concurrency });

  return {
    name: 'bot',
    wake() {
      alarm.ring();
      return !isStopping && failures === 0 && sends.size < concurrency;
    },
    health(): Health {
      const sinceMs = Math.round(clock.now() - lookedAt);
      if (failures === 0 && sinceMs < silentMs) return healthy;
      return { ok: false, reason: `has not been able to look for answers for ${sinceMs} ms` };
    },
    async stop() {
      isStopping = true;
      alarm.ring();
      await running;
      await drain();
      log.info('stopped answering');
    },
  };
}
