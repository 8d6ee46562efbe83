// The replier: claims the replies that are due, of all bots, and has them sent.
//
// One loop claims. It runs when it is woken (a turn left a reply, a send ended), when the next reply comes due, and in
// any case after `pollMs`. Sends run side by side; of one chat the database gives out one reply at a time.
//
//   running → stop() → draining: nothing is claimed, sends under way may end within the grace → stopped

import { randomUUID } from 'node:crypto';
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
import { startLooking } from '../looking.ts';
import type { Service } from '../service.ts';
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
  /** A reply may be due. Returns false if this replier cannot claim it now. */
  wake(): boolean;
}

const largestClaim = 500;
/** After a claim we wait this long for more before we make the next: small claims cost more for each reply. */
const gatherMs = 10;
/** A reply is due but cannot be claimed: another replier holds its rate group for a moment. */
const blocked = { baseMs: 20, capMs: 100 };
/** How long we wait, after the grace, for a database that is away. */
const lastTryMs = 5000;

export function startReplier(options: ReplierOptions): Replier {
  const { client, reserve = client, log, clock, concurrency, drainMs } = options;
  const { pollMs = 1000 } = options;
  const sendReply = unbroken(options.sendReply, log);
  const runId = `bot:${randomUUID()}`;
  const leases = createReplyLeases(reserve, log, clock);
  const commits = createReplyCommits(reserve, log);
  const sends = new Map<Promise<void>, HeldReply>();
  let emptyClaims = 0;
  let claimedAt = Number.NEGATIVE_INFINITY;

  /** Claims what is due. Returns how long there is nothing more to do. */
  async function look(): Promise<number> {
    return untilRoom() ?? ((await claim()) > 0 ? gatherMs : await untilDue());
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
      looking.ring();
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
    log.warn('a reply was not sent, or not recorded', { ...facts, ...why });
  }

  async function ended(withinMs: number): Promise<boolean> {
    const rest = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    await Promise.race([Promise.all(sends.keys()), rest]);
    return sends.size === 0;
  }

  async function drain(): Promise<void> {
    if (!(await ended(drainMs))) {
      log.warn('breaking off replies that are still being sent', { count: sends.size });
      for (const held of sends.values()) held.breakOff.abort();
      if (!(await ended(lastTryMs))) commits.giveUp();
      await Promise.all(sends.keys());
    }
    leases.stop();
  }

  const looking = startLooking({ log, clock, whatFor: 'replies', look });
  log.info('answering', { run_id: runId, concurrency });

  return {
    name: 'bot',
    wake() {
      looking.ring();
      return !looking.isStopping() && !looking.isFailing() && sends.size < concurrency;
    },
    health: () => looking.health(),
    async stop() {
      await looking.stop();
      await drain();
      log.info('stopped answering');
    },
  };
}
