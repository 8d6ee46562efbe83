// Sends claimed deliveries, each on its own, keeps their leases alive meanwhile, and commits what became of them.
// Gives a delivery back that was not begun in time, or whose lease was over before anything was sent.

import type { Clock } from '../clock.ts';
import { type ClaimedDelivery, releaseClaims } from '../db/claim.ts';
import { inIso } from '../db/columns.ts';
import type { Outcome, Verdict } from '../db/commit.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import type { AttemptFacts, Observer } from '../observer.ts';
import { createCalls, type Waiting } from './calls.ts';
import { createCommitter } from './committer.ts';
import type { Deliver } from './deliver.ts';
import { deliveryFacts } from './delivery-facts.ts';
import { createLeaseKeeper, type Hold } from './lease-keeper.ts';
import { resultOf } from './observed-deliver.ts';
import { pacedMs, patienceOf } from './patience.ts';
import { createTally } from './tally.ts';
import { unbroken } from './unbroken.ts';

export interface SenderOptions {
  readonly client: Queryable;
  readonly deliver: Deliver;
  readonly log: Log;
  readonly clock: Clock;
  /** The most sends under way at once. */
  readonly concurrency: number;
  /** Called after each send, when its outcome is committed. */
  readonly onEnd: () => void;
  readonly observer: Observer;
}

/** When a claim was asked for. */
export interface Asked {
  /** By the sender's clock. */
  readonly at: number;
  /** By the observer's. */
  readonly observedAt: number;
}

export interface Sender {
  /** Sends what one claim has brought. */
  send(workspaceId: string, claimed: readonly ClaimedDelivery[], asked: Asked): void;
  /** Deliveries that wait, are sent or are committed, of one workspace or of all. */
  held(workspaceId?: string): number;
  /** Deliveries of a workspace that wait for calls to end. */
  inLine(workspaceId: string): number;
  /** How many calls could begin now, for all workspaces together. */
  freeCalls(): number;
  /** How many more deliveries of a workspace are likely to begin in time; `reserved` places are kept for others. */
  room(workspaceId: string, reserved: number): number;
  /**
   * Gives back what waits, lets sends under way end within the grace, breaks the others off, and waits until all are
   * committed.
   */
  drain(graceMs: number): Promise<void>;
}

/** One claim. Its deliveries share one lease, and lose it together. */
interface Claim {
  readonly workspaceId: string;
  readonly claimToken: string;
  readonly hold: Hold;
  readonly breakOff: AbortController;
  /** When it was asked for and when it came, by the observer's clock. */
  readonly claimAskedAt: number;
  readonly claimedAt: number;
  /** How many of its deliveries are held. */
  open: number;
}

interface Send extends Waiting {
  readonly claim: Claim;
  readonly delivery: ClaimedDelivery;
}

/** What became of a delivery, as the log tells it. */
interface Became {
  readonly state: NonNullable<Verdict['became']> | 'stale' | 'released' | 'unrecorded';
  readonly nextRetryAt?: string | undefined;
  /** What the database says about an outcome that it did not record. */
  readonly note?: string | undefined;
}

function becameOf(verdict: Verdict | undefined): Became {
  if (verdict === undefined) return { state: 'unrecorded' };
  const { became, nextRetryAt, note } = verdict;
  return {
    state: became ?? 'stale',
    nextRetryAt: nextRetryAt ?? undefined,
    note: note ?? undefined,
  };
}

/** What the log says about a delivery, unless it was plainly sent. */
const saidOf: Readonly<Record<Became['state'], string>> = {
  sent: 'sent, as was known before',
  retry: 'not sent; it will be tried again',
  failed_permanent: 'not sent: it failed for good',
  dead: 'not sent: it was given up',
  // A commit whose answer was lost is repeated, and then finds its own record.
  stale: 'its outcome changes nothing: it was recorded before, or the lease was over',
  released: 'not sent: the lease was over, and it was given back',
  unrecorded: 'its outcome could not be recorded',
};

/** How long we wait, after the grace, for a database that is away. */
const lastTryMs = 5000;

export function createSender(options: SenderOptions): Sender {
  const { client, log, clock, concurrency, onEnd, observer } = options;
  const deliver = unbroken(options.deliver, log);
  const committer = createCommitter({ client, log, observer });
  const leases = createLeaseKeeper(client, log, clock);
  const tally = createTally(log);
  const calls = createCalls<Send>({
    most: concurrency,
    clock,
    begin: (send) => void run(send),
    giveBack: (sends) => void giveBackUnsent(sends),
  });
  const claims = new Set<Claim>();
  const perWorkspace = new Map<string, number>();
  /** The shortest patience among the deliveries of a workspace's last claim. */
  const patience = new Map<string, number>();
  let total = 0;
  let idle: PromiseWithResolvers<void> | undefined;

  function hold(workspaceId: string, first: ClaimedDelivery, asked: Asked): Claim {
    const { claimToken, leaseMs } = first;
    const breakOff = new AbortController();
    const onLost = (): void => breakOff.abort();
    const held = leases.hold({ workspaceId, claimToken, leaseMs, askedAt: asked.at, onLost });
    const observed = { claimAskedAt: asked.observedAt, claimedAt: observer.now() };
    return { workspaceId, claimToken, hold: held, breakOff, ...observed, open: 0 };
  }

  async function run(send: Send): Promise<void> {
    const { workspaceId, claim, delivery } = send;
    const { signal } = claim.breakOff;
    const sendStartedAt = observer.now();
    observer.sendStarted();
    const outcome = await deliver(workspaceId, delivery, { signal, holds: send.holds });
    observer.sendEnded();
    const sendEndedAt = observer.now();
    calls.leave(workspaceId);
    const isOver = !outcome.ok && outcome.error.code === 'lease_over';
    const became = isOver
      ? await release(claim, [delivery])
      : becameOf(await committer.commit(workspaceId, outcome));
    report(send, outcome, became);
    if (observer.isOn) {
      const committedAt = observer.now();
      observer.attempt(
        attemptOf(send, outcome, became.state, { sendStartedAt, sendEndedAt, committedAt }),
      );
    }
    count(claim, -1);
    onEnd();
  }

  async function giveBackUnsent(sends: readonly Send[]): Promise<void> {
    const byClaim = Map.groupBy(sends, ({ claim }) => claim);
    const givenBack = [...byClaim].map(async ([claim, group]) => {
      const became = await release(
        claim,
        group.map(({ delivery }) => delivery),
      );
      const facts = { workspace_id: claim.workspaceId, count: group.length, became: became.state };
      log.info('given back before they were begun', facts);
      for (const _ of group) tally.count(became.state);
      count(claim, -group.length);
      onEnd();
    });
    await Promise.all(givenBack);
  }

  /** Tries once: deliveries that cannot be given back come back when their lease ends. */
  async function release(
    { workspaceId, claimToken }: Claim,
    deliveries: readonly ClaimedDelivery[],
  ): Promise<Became> {
    const deliveryIds = deliveries.map(({ deliveryId }) => deliveryId);
    try {
      const released = await releaseClaims(client, { workspaceId, claimToken, deliveryIds });
      return { state: released.length > 0 ? 'released' : 'stale' };
    } catch {
      return { state: 'unrecorded' };
    }
  }

  function report(
    { workspaceId, delivery }: Send,
    outcome: Outcome,
    { state, nextRetryAt, note }: Became,
  ): void {
    tally.count(state);
    const facts = deliveryFacts(workspaceId, delivery);
    if (outcome.ok && state === 'sent') {
      log.debug('sent', { ...facts, provider_message_id: outcome.providerMessageId });
      return;
    }
    const why = outcome.ok ? {} : { code: outcome.error.code, error: outcome.error.message };
    const next_retry_at = nextRetryAt === undefined ? undefined : inIso(nextRetryAt);
    log.warn(saidOf[state], { ...facts, became: state, note, ...why, next_retry_at });
  }

  /** Changes the number of deliveries that are held for a claim. */
  function count(claim: Claim, by: number): void {
    const { workspaceId } = claim;
    claim.open += by;
    if (claim.open > 0) claims.add(claim);
    else {
      claims.delete(claim);
      claim.hold.letGo();
    }
    const now = (perWorkspace.get(workspaceId) ?? 0) + by;
    if (now > 0) perWorkspace.set(workspaceId, now);
    else {
      perWorkspace.delete(workspaceId);
      patience.delete(workspaceId);
    }
    total += by;
    if (total === 0) idle?.resolve();
  }

  async function ended(withinMs: number): Promise<boolean> {
    const rest = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    await Promise.race([idle?.promise, rest]);
    return total === 0;
  }

  return {
    send(workspaceId, claimed, asked) {
      const [first] = claimed;
      if (first === undefined) return;
      const claim = hold(workspaceId, first, asked);
      count(claim, claimed.length);
      const patienceOfEach = patienceOf(claimed);
      patience.set(workspaceId, Math.min(...claimed.map(patienceOfEach)));
      const { holds } = claim.hold;
      for (const delivery of claimed) {
        const patienceMs = patienceOfEach(delivery);
        calls.enter({ workspaceId, patienceMs, holds, claim, delivery });
      }
    },
    held: (workspaceId) =>
      workspaceId === undefined ? total : (perWorkspace.get(workspaceId) ?? 0),
    inLine: (workspaceId) => calls.inLine(workspaceId),
    freeCalls: () => calls.free(),
    room(workspaceId, reserved) {
      const patienceMs = patience.get(workspaceId) ?? pacedMs;
      return calls.room(workspaceId, patienceMs / 2, reserved);
    },
    async drain(graceMs) {
      idle = Promise.withResolvers();
      if (total === 0) idle.resolve();
      calls.clear();
      if (!(await ended(graceMs))) {
        log.warn('breaking off what is still being sent', { count: total });
        for (const { breakOff } of claims) breakOff.abort();
        if (!(await ended(lastTryMs))) committer.giveUp();
        await idle.promise;
      }
      leases.stop();
      tally.stop();
      log.info('stopped sending', tally.total());
    },
  };
}

// Made for every send while somebody observes, so it is one object.
function attemptOf(
  { workspaceId, claim, delivery }: Send,
  outcome: Outcome,
  became: Became['state'],
  times: Pick<AttemptFacts, 'sendStartedAt' | 'sendEndedAt' | 'committedAt'>,
): AttemptFacts {
  return {
    workspaceId,
    channelId: delivery.channel.channelId,
    platform: delivery.channel.platform,
    deliveryId: delivery.deliveryId,
    messageId: delivery.messageId,
    traceId: delivery.traceId,
    attempt: delivery.attempt,
    notBefore: delivery.notBefore,
    claimAskedAt: claim.claimAskedAt,
    claimedAt: claim.claimedAt,
    sendStartedAt: times.sendStartedAt,
    sendEndedAt: times.sendEndedAt,
    committedAt: times.committedAt,
    result: resultOf(outcome),
    code: outcome.ok ? undefined : outcome.error.code,
    became,
  };
}
