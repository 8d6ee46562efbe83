// Runs a workspace in virtual time: the functions of the database are the real ones, and get the time as an argument;
// the sender and the platforms are imitated. The clock jumps from event to event.
//
// To ask the database for each of 100,000 events by itself would take minutes, so a step takes the events of a short
// span together, [at, until]. The span grows with the time that has passed (a two-hundredth of it at most), and so does the
// error, which does not add up:
//
//   1. Posts that come within the span are taken in, and sends that end within it are committed, all ahead of their time.
//   2. A claim at the beginning of the span gives the freed places slots. A send begins at its slot, but not before its
//      post has come and its place is free (sends.ts), so counting an end early does not make anything early.
//   3. A claim at the end of the span takes up the slots that have come meanwhile. A slot keeps its own time.
//
// A failure may close a channel or a group, and a further call of a send takes slots of its own: both end the span, and
// happen at their very time. Posting windows open and close at full minutes, so a span ends before the next one: what
// has a slot in the last seconds of a window is claimed while the window is open.

import { claimDeliveries } from '../db/claim.ts';
import { commitOutcomes, commitSent, type Outcome } from '../db/commit.ts';
import { nextDueIn } from '../db/dispatch.ts';
import { listChannels, listRateGroups } from '../db/inspect.ts';
import type { Queryable } from '../db/pool.ts';
import { millisOf } from '../db/simulate.ts';
import type { Arrival, SimulatedDelivery } from './delivery.ts';
import type { DurationOf } from './durations.ts';
import type { Timed } from './event-queue.ts';
import type { FaultsOf } from './faults.ts';
import { createIntake, type PostVerdict } from './intake.ts';
import { accountFor, type LimitUses } from './limits.ts';
import { createSends, type Ended } from './sends.ts';

export interface RunOptions {
  /** One connection to a scratch database: queries that are sent without waiting must run in their order. */
  readonly client: Queryable;
  readonly workspaceId: string;
  /** In order of time. */
  readonly arrivals: readonly Arrival[];
  readonly durationOf: DurationOf;
  readonly faultsOf: FaultsOf;
  readonly retryAfterMs: number;
  readonly timeoutMs: number;
  /** The most sends at once. */
  readonly places: number;
  /** What is not out so long after the first post is left. */
  readonly horizonMs: number;
  /** The most that a span may be of the time that has passed. */
  readonly coarseness: number;
  /** Clears away what claims have left of the queue. */
  readonly tidy?: (() => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, known: number) => void) | undefined;
}

export interface RunResult {
  readonly beganAt: number;
  readonly deliveries: readonly SimulatedDelivery[];
  /** By the place of the post. */
  readonly verdicts: readonly PostVerdict[];
  readonly limits: LimitUses;
  /** How often the clock moved. */
  readonly steps: number;
}

const largestClaim = 1000;
const leastSpanMs = 20;
const longestSpanMs = 10_000;
const minuteMs = 60_000;
/** At the beginning a span is as long as it is after this time: short ones would cost most there, and gain least. */
const outsetMs = 40_000;
/** We look at the channels before a jump of this length, and after so many steps. */
const jumpMs = 500;
const stepsOfLook = 64;
/** After so many steps in a row in which nothing happens although something is due, nothing will happen. */
const idleAtMost = 1000;
/** Claims read what is left of deliveries that were sent, until it is cleared away: after so many it is. */
const tidyAfter = 2000;

export async function runWorkspace(options: RunOptions): Promise<RunResult> {
  const { client, workspaceId, arrivals, coarseness, signal } = options;
  const beganAt = arrivals[0]?.at ?? 0;
  const horizon = beganAt + options.horizonMs;
  const channels = await listChannels(client, { workspaceId }, inIso(beganAt));
  const groups = await listRateGroups(client, workspaceId, inIso(beganAt));
  const parallel = new Map(channels.map((each) => [each.channelId, each.maxParallel]));
  const limits = accountFor(channels, groups, options.places);
  const intake = createIntake(client, workspaceId, arrivals);
  const maxParallelOf = (channelId: string): number => parallel.get(channelId) ?? 1;
  const sends = createSends({ ...options, limits, maxParallelOf });
  let done = 0;
  let steps = 0;
  /** What has happened so far: posts taken in, deliveries claimed, sends ended. */
  let happened = 0;
  let idle = 0;
  let tidied = 0;

  /** The span of a step ends before what must happen at its own time. */
  function spanFrom(at: number): number {
    const passedMs = Math.max(outsetMs, at - beganAt);
    const wanted = Math.min(longestSpanMs, passedMs * coarseness);
    const until = at + Math.max(leastSpanMs, Math.floor(wanted));
    const endOfMinute = at - (at % minuteMs) + minuteMs - 1;
    return Math.max(at, Math.min(until, endOfMinute, sends.nextSpecialAt()));
  }

  async function commitPlain(ended: readonly Timed<Ended>[], at: number): Promise<void> {
    for (let n = 0; n < ended.length; n += largestClaim) {
      const outcomes = ended.slice(n, n + largestClaim).map(({ event }) => event.outcome);
      await commitSent(client, workspaceId, plainSent(outcomes), inIso(at));
    }
    for (const each of ended) noteSent(each);
  }

  function noteSent({ at, event: { record } }: Timed<Ended>): void {
    record.status = 'sent';
    record.sentAt = at;
    done += 1;
  }

  /** Failures, and what ended at the same moment: a success beside them speaks for the platform. */
  async function commitWithFailures(
    failures: readonly Timed<Ended>[],
    beside: readonly Timed<Ended>[],
    at: number,
  ): Promise<void> {
    const outcomes = [...failures, ...beside].map(({ event }) => event.outcome);
    const verdicts = await commitOutcomes(client, workspaceId, outcomes, inIso(at));
    const became = new Map(verdicts.map((each) => [each.deliveryId, each]));
    for (const each of beside) noteSent(each);
    for (const { event } of failures) {
      const { record } = event;
      const verdict = became.get(record.deliveryId);
      if (verdict?.became === 'retry' && verdict.nextRetryAt !== null) {
        record.since = at;
        record.readyAt = millisOf(verdict.nextRetryAt);
      } else if (verdict?.became === 'dead' || verdict?.became === 'failed_permanent') {
        record.status = verdict.became;
        record.failedAt = at;
        done += 1;
      } else if (verdict?.became === 'sent') noteSent({ at, event });
    }
  }

  async function commitUntil(until: number): Promise<void> {
    const ended = sends.takeSent(until);
    happened += ended.length;
    if (sends.nextSpecialAt() > until) return commitPlain(ended, until);
    const failures = await sends.goOn(until);
    happened += 1;
    if (failures.length === 0) return commitPlain(ended, until);
    const { before = [], beside = [] } = Object.groupBy(ended, ({ at }) =>
      at < until ? 'before' : 'beside',
    );
    await commitPlain(before, until);
    await commitWithFailures(failures, beside, until);
  }

  /** Answers whether there may be more to claim. */
  async function claimOnce(at: number): Promise<boolean> {
    const limit = Math.min(largestClaim, Math.max(1, sends.free()));
    const request = { workspaceId, runId: 'simulate', limit };
    const claimed = await claimDeliveries(client, request, inIso(at));
    for (const delivery of claimed) {
      const record = intake.deliveries.get(delivery.deliveryId);
      if (record !== undefined) sends.begin(delivery, record);
    }
    happened += claimed.length;
    return claimed.length === limit;
  }

  /** Both claims of a step are on their way at once: the database makes them one after the other. */
  async function claim(at: number, until: number): Promise<void> {
    if (!isWaiting() || sends.free() <= 0) return;
    const claims = until > at ? [claimOnce(at), claimOnce(until)] : [claimOnce(at)];
    let isMore = (await Promise.all(claims)).at(-1) ?? false;
    while (isMore && sends.free() > 0) isMore = await claimOnce(until);
  }

  async function look(at: number): Promise<void> {
    limits.look(at, await listChannels(client, { workspaceId }, inIso(at)));
  }

  function isWaiting(): boolean {
    return intake.deliveries.size - done - sends.underWay() > 0;
  }

  /**
   * When the database has something to claim next; it counts in microseconds. All that was due by then is claimed, so the
   * end of a send that has been counted already comes first, and while all places are taken only the end of a send helps.
   */
  async function dueAfter(at: number): Promise<number> {
    if (!isWaiting() || sends.free() <= 0 || sends.nextAt() <= at) return Number.POSITIVE_INFINITY;
    const due = await nextDueIn(client, workspaceId, inIso(at));
    return due === null ? Number.POSITIVE_INFINITY : due.getTime() + 1;
  }

  /** What a step asks the database for is sent at once, unless a failure decides about the rest. */
  async function step(at: number, until: number): Promise<number> {
    const before = happened;
    const posts = intake.verdicts.length;
    await intake.takeUntil(until, at);
    const decides = sends.nextSpecialAt() <= until;
    const committing = commitUntil(until);
    if (decides) await committing;
    await Promise.all([claim(at, until), committing]);
    happened += intake.verdicts.length - posts;
    idle = happened === before ? idle + 1 : 0;
    return dueAfter(until);
  }

  let last = beganAt;
  for (let dueAt = Number.POSITIVE_INFINITY; idle < idleAtMost; ) {
    signal?.throwIfAborted();
    const at = Math.min(intake.nextAt(), sends.nextAt(), dueAt);
    if (at === Number.POSITIVE_INFINITY || at > horizon) break;
    if (isWaiting() && (at - last > jumpMs || steps % stepsOfLook === 0)) await look(last);
    const until = spanFrom(at);
    dueAt = await step(at, until);
    last = until;
    steps += 1;
    if (done - tidied >= tidyAfter) {
      await options.tidy?.();
      tidied = done;
    }
    if (steps % stepsOfLook === 0) options.onProgress?.(done, intake.deliveries.size);
  }
  if (isWaiting()) await look(last);
  limits.end(isWaiting() ? horizon : last);
  const { verdicts } = intake;
  return { beganAt, deliveries: [...intake.deliveries.values()], verdicts, limits, steps };
}

function plainSent(outcomes: readonly Outcome[]) {
  return {
    deliveryIds: outcomes.map((each) => each.deliveryId),
    claimTokens: outcomes.map((each) => each.claimToken),
    providerMessageIds: outcomes.map(() => 'sim'),
  };
}

function inIso(at: number): string {
  return new Date(at).toISOString();
}
