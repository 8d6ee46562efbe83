// The dispatcher: looks for workspaces that have something due, claims from them, and has it sent.
//
// One loop looks for work. It runs when it is woken (something was queued, a send ended), when the next delivery comes
// due, and in any case after `pollMs`. Claims of different workspaces run in parallel, and so do all sends: neither a
// locked workspace nor a slow provider holds up the others.
//
//   running → stop() → draining: nothing is claimed, deliveries of a late claim are given back, sends under way may end
//   within the grace → stopped

import { randomUUID } from 'node:crypto';
import { waitAfter } from '../backoff.ts';
import { type Clock, systemClock } from '../clock.ts';
import { type ClaimedDelivery, claimDeliveries, releaseClaims } from '../db/claim.ts';
import { nextDueAt, nextWorkspaces } from '../db/dispatch.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import { startLooking } from '../looking.ts';
import { type Observer, unobserved } from '../observer.ts';
import type { Service } from '../service.ts';
import { shareOfOne } from './calls.ts';
import type { Deliver } from './deliver.ts';
import { type Asked, createSender } from './sender.ts';

export interface DispatcherOptions {
  /** For looks and claims. */
  readonly client: Queryable;
  /** For outcomes and leases, which must not wait behind claims; `client` when missing. */
  readonly reserve?: Queryable | undefined;
  readonly deliver: Deliver;
  readonly log: Log;
  /** The most sends at once. */
  readonly concurrency: number;
  /** The most deliveries to claim beyond those; as a rule fewer are claimed. 0 when missing. */
  readonly claimAhead?: number | undefined;
  /** How long sends under way may go on after stop(). */
  readonly drainMs: number;
  /** Dispatchers that share a name share the round over workspaces. */
  readonly name?: string | undefined;
  /** How long the loop sleeps at most. */
  readonly pollMs?: number | undefined;
  /** What leases and waits are measured by: a wall clock that is set back would make a wait longer. */
  readonly clock?: Clock | undefined;
  /** Who is told of claims, attempts and commits; nobody when missing. */
  readonly observer?: Observer | undefined;
}

/** Takes over what a push has claimed as it came in. */
export interface Claimer {
  readonly runId: string;
  /** Called once, also when nothing was claimed. */
  take(claimed: readonly ClaimedDelivery[]): void;
}

export interface Dispatcher extends Service {
  /** Keeps room for a push to a workspace in which nothing waits; undefined when the post has to wait its turn. */
  claimer(workspaceId: string): Claimer | undefined;
  /** Something may be due, in this workspace if one is named. Returns false if this dispatcher cannot claim it now. */
  wake(workspaceId?: string): boolean;
}

const workspacesPerLook = 16;
const largestClaim = 1000;
/** The most deliveries that a push claims. */
const largestOfPush = 8;
/** How many pushes of one workspace may claim at once. */
const pushesOfOne = 3;
/** We look for work in other workspaces at least this often, even while busy ones keep us claiming. */
const askEveryMs = 50;
/** When few places are free, we wait this long for more before we claim: small claims cost more for each delivery. */
const gatherMs = 10;
// Short waits: during a long one several slots would pass, and their deliveries would then go out all at once.
const afterEmptyClaim = { baseMs: 20, capMs: 100 };
const blockedMs = 100;
const raceMs = 20;
const failedClaimMs = 100;

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { client, reserve = client, deliver, log, concurrency, drainMs } = options;
  const { name = 'dispatcher', pollMs = 1000, clock = systemClock, claimAhead = 0 } = options;
  const { observer = unobserved } = options;
  const places = concurrency + claimAhead;
  const mostPushes = Math.max(1, Math.floor(concurrency / (2 * largestOfPush)));

  const runId = `${name}:${randomUUID()}`;
  const sender = createSender({
    client: reserve,
    deliver,
    log,
    clock,
    concurrency,
    onEnd: () => looking.ring(),
    observer,
  });
  const claims = new Map<string, { limit: number; done: Promise<void> }>();
  /** Pushes that may bring deliveries. No claim waits for them: a push may be held up at its endpoint. */
  const pushes = new Map<Promise<void>, string>();
  /** Workspaces that are known to have something due. */
  const woken = new Set<string>();
  /** Workspaces whose claims found nothing although something seemed due, and until when we leave them alone. */
  const leftAlone = new Map<string, { times: number; until: number }>();
  let claimedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;

  /** Starts the claims that are worth starting. Returns how long there is nothing more to do. */
  async function look(): Promise<number> {
    return untilRoom() ?? (await startClaims()) ?? (await untilDue());
  }

  function untilRoom(): number | undefined {
    const room = free();
    if (room <= 0) return pollMs;
    const rest = claimedAt + gatherMs - clock.now();
    return room < places / 8 && rest > 0 ? rest : undefined;
  }

  /** Undefined when there was no claim to start. */
  async function startClaims(): Promise<number | undefined> {
    const isIdle = claims.size === 0 && sender.held() === 0;
    const direct = [...woken].filter(mayClaim);
    // A workspace that cannot claim yet, because its deliveries wait in line, stays known to have work.
    for (const each of woken) {
      if (direct.includes(each) || sender.inLine(each) === 0) woken.delete(each);
    }
    startEach(direct);
    // What was just queued goes first; the end of its claim starts the next look, at the others.
    const askIn = askedAt + askEveryMs - clock.now();
    if (direct.length > 0 && (isIdle || askIn > 0)) return pollMs;
    if (woken.size > 0 && askIn > 0) return askIn;
    askedAt = clock.now();
    const due = await nextWorkspaces(client, name, workspacesPerLook);
    const ready = due.filter(mayClaim);
    startEach(ready);
    if (direct.length + ready.length > 0) return pollMs;
    return due.length > 0 ? untilClaimable(due) : undefined;
  }

  /** Work is due, but we cannot claim it: another dispatcher holds it, or we are full. Other work may come due soon. */
  function untilClaimable(due: readonly string[]): number {
    const waits = due.map((each) => (leftAlone.get(each)?.until ?? 0) - clock.now());
    return Math.min(pollMs, blockedMs, ...waits.filter((ms) => ms > 0));
  }

  async function untilDue(): Promise<number> {
    const due = await nextDueAt(client);
    const ahead = due === null ? pollMs : due.getTime() - Date.now();
    // Nothing was due a moment ago: it has just come up, or the server's clock is behind ours.
    return Math.min(pollMs, ahead > 0 ? ahead : raceMs);
  }

  function free(): number {
    return places - sender.held() - reserved();
  }

  /** How many deliveries the claims under way may bring. */
  function reserved(): number {
    return [...claims.values()].reduce((sum, each) => sum + each.limit, 0);
  }

  /** A workspace keeps room for what its own pushes may bring, not for those of others: most pushes bring nothing. */
  function roomOf(workspaceId: string): number {
    const ofPushes = pushesOf(workspaceId) * largestOfPush;
    const toBegin = sender.room(workspaceId, reserved() + ofPushes);
    return Math.min(free() - ofPushes, toBegin, shareOfOne(places) - sender.held(workspaceId));
  }

  function pushesOf(workspaceId: string): number {
    return [...pushes.values()].filter((each) => each === workspaceId).length;
  }

  /** While deliveries wait in line we can wait for room for a larger claim: small ones cost more for each delivery. */
  function mayClaim(workspaceId: string): boolean {
    const isLeft = (leftAlone.get(workspaceId)?.until ?? 0) > clock.now();
    const isWorth = roomOf(workspaceId) >= Math.max(1, sender.inLine(workspaceId));
    return !looking.isStopping() && !isLeft && !claims.has(workspaceId) && isWorth;
  }

  /** Shares the room among these workspaces. */
  function startEach(workspaceIds: readonly string[]): void {
    const toBegin = Math.max(sender.freeCalls() - reserved(), ...workspaceIds.map(roomOf));
    for (const each of workspaceIds) startClaim(each, toBegin / workspaceIds.length);
  }

  function startClaim(workspaceId: string, share: number): void {
    const limit = Math.min(Math.max(1, Math.floor(share)), largestClaim, roomOf(workspaceId));
    if (limit < 1) return;
    claimedAt = clock.now();
    const done = claim(workspaceId, limit).finally(() => {
      claims.delete(workspaceId);
      looking.ring();
    });
    claims.set(workspaceId, { limit, done });
  }

  function claimer(workspaceId: string): Claimer | undefined {
    const waits = woken.has(workspaceId) || sender.inLine(workspaceId) > 0;
    if (looking.isFailing() || waits || !mayClaim(workspaceId)) return undefined;
    if (pushesOf(workspaceId) >= pushesOfOne || pushes.size >= mostPushes) return undefined;
    const room = Math.min(roomOf(workspaceId), sender.freeCalls() - reserved());
    if (room < largestOfPush) return undefined;
    const asked = askedNow();
    const taken = Promise.withResolvers<readonly ClaimedDelivery[]>();
    const done = taken.promise
      .then((claimed) => begin(workspaceId, claimed, asked))
      .catch((error: unknown) => {
        log.warn('a claim failed', { workspace_id: workspaceId, error: String(error) });
      })
      .finally(() => pushes.delete(done));
    pushes.set(done, workspaceId);
    return { runId, take: taken.resolve };
  }

  function askedNow(): Asked {
    return { at: clock.now(), observedAt: observer.now() };
  }

  async function claim(workspaceId: string, limit: number): Promise<void> {
    const asked = askedNow();
    try {
      const claimed = await claimDeliveries(client, { workspaceId, runId, limit });
      observer.claim({ startedAt: asked.observedAt, deliveries: claimed.length });
      if (claimed.length === 0) {
        const times = (leftAlone.get(workspaceId)?.times ?? 0) + 1;
        const until = clock.now() + waitAfter(times, afterEmptyClaim, Math.random());
        leftAlone.set(workspaceId, { times, until });
        return;
      }
      leftAlone.delete(workspaceId);
      if (claimed.length === limit) woken.add(workspaceId); // there is more
      await begin(workspaceId, claimed, asked);
    } catch (error) {
      // The database may have made the claim nonetheless; its deliveries then come back when the lease ends.
      log.warn('a claim failed', { workspace_id: workspaceId, error: String(error) });
      leftAlone.set(workspaceId, { times: 1, until: clock.now() + failedClaimMs });
    }
  }

  /** Has the claimed deliveries sent, or gives them back if we are stopping. */
  async function begin(
    workspaceId: string,
    claimed: readonly ClaimedDelivery[],
    asked: Asked,
  ): Promise<void> {
    const [first] = claimed;
    if (first === undefined) return;
    log.debug('claimed', { workspace_id: workspaceId, count: claimed.length });
    if (!looking.isStopping()) {
      sender.send(workspaceId, claimed, asked);
      return;
    }
    const deliveryIds = claimed.map((each) => each.deliveryId);
    await releaseClaims(client, { workspaceId, claimToken: first.claimToken, deliveryIds });
  }

  const looking = startLooking({ log, clock, whatFor: 'work', look });
  log.info('dispatching', { run_id: runId, concurrency, claim_ahead: claimAhead });

  return {
    name: 'dispatch',
    claimer,
    wake(workspaceId) {
      if (workspaceId === undefined) {
        leftAlone.clear();
        askedAt = Number.NEGATIVE_INFINITY;
      } else {
        leftAlone.delete(workspaceId);
        woken.add(workspaceId);
      }
      looking.ring();
      const mayLook = !looking.isStopping() && !looking.isFailing();
      return mayLook && (workspaceId === undefined || roomOf(workspaceId) > 0);
    },
    health: () => looking.health(),
    async stop() {
      // The grace begins now, also when the database keeps the loop or a claim waiting.
      const claimed = looking
        .stop()
        .then(() => Promise.all([...claims.values()].map((each) => each.done)));
      const grace = new Promise<void>((resolve) => setTimeout(resolve, drainMs).unref());
      const pushed = Promise.race([Promise.all(pushes.keys()), grace]);
      await Promise.all([sender.drain(drainMs), claimed, pushed]);
    },
  };
}
