// Limits the calls of a process: at most `most` are under way at once, and at most nine tenths of them for one
// workspace. Deliveries that were claimed beyond that wait in line. They begin when a call ends, or are given back
// when they have waited for too long.
//
//   enter → under way → leave
//   enter → in line → under way → leave
//                   → given back: it has waited for too long, its lease is gone, or everything stops

import type { Clock } from '../clock.ts';
import { createLine } from './line.ts';
import { createRecentCount, type RecentCount } from './recent-count.ts';

/** A delivery that is to be sent. */
export interface Waiting {
  readonly workspaceId: string;
  /** How long it may be in line. */
  readonly patienceMs: number;
  /** Whether it is still ours. */
  readonly holds: () => boolean;
}

export interface CallsOptions<Send> {
  /** The most calls at once. */
  readonly most: number;
  readonly clock: Clock;
  readonly begin: (send: Send) => void;
  /** Called with deliveries that were not begun. */
  readonly giveBack: (sends: readonly Send[]) => void;
}

export interface Calls<Send> {
  /** Begins it now if there is a place, otherwise when its turn has come. */
  enter(send: Send): void;
  /** A call of this workspace has ended. */
  leave(workspaceId: string): void;
  /** How many of a workspace are in line. */
  inLine(workspaceId: string): number;
  /** How many calls could begin now, for all workspaces together. */
  free(): number;
  /**
   * How many more deliveries of a workspace are likely to begin within that time, if calls go on ending as fast as of
   * late. `reserved` places are kept for others.
   */
  room(workspaceId: string, withinMs: number, reserved: number): number;
  /** Gives back what is in line. */
  clear(): void;
}

/** The most that one workspace may have of what all share, so that the others need not wait for it. */
export function shareOfOne(most: number): number {
  return Math.max(1, Math.floor(most * 0.9));
}

interface InLine<Send> {
  readonly send: Send;
  readonly until: number;
}

const windowMs = 100;
const lookEveryMs = 100;

export function createCalls<Send extends Waiting>(options: CallsOptions<Send>): Calls<Send> {
  const { most, clock, begin, giveBack } = options;
  const mostOfOne = shareOfOne(most);
  const line = createLine<InLine<Send>>();
  const ended = createRecentCount(clock, windowMs);
  const endedOf = new Map<string, RecentCount>();
  const underWay = new Map<string, number>();
  let total = 0;
  let callOff: (() => void) | undefined;

  function freeOf(workspaceId: string, reserved = 0): number {
    return Math.min(most - total - reserved, mostOfOne - (underWay.get(workspaceId) ?? 0));
  }

  function mayBegin(workspaceId: string): boolean {
    return freeOf(workspaceId) > 0;
  }

  function start(send: Send): void {
    total += 1;
    const { workspaceId } = send;
    underWay.set(workspaceId, (underWay.get(workspaceId) ?? 0) + 1);
    if (!endedOf.has(workspaceId)) endedOf.set(workspaceId, createRecentCount(clock, windowMs));
    begin(send);
  }

  function startNext(): void {
    while (total < most) {
      const next = line.take(mayBegin);
      if (next === undefined) return;
      if (isLate(next)) giveBack([next.send, ...takeLate()]);
      else start(next.send);
    }
  }

  function isLate({ send, until }: InLine<Send>): boolean {
    return clock.now() >= until || !send.holds();
  }

  function takeLate(): Send[] {
    return line.takeAll(isLate).map(({ send }) => send);
  }

  /** Looks for late deliveries now and then: while all calls hang none ends, and nothing else would look. */
  function watch(): void {
    callOff ??= clock.after(lookEveryMs, () => {
      callOff = undefined;
      const late = takeLate();
      if (late.length > 0) giveBack(late);
      if (line.length() > 0) watch();
    });
  }

  function forgetQuiet(): void {
    for (const [id, count] of endedOf) {
      if (!underWay.has(id) && count.value() === 0) endedOf.delete(id);
    }
  }

  /** How many calls ended of late whose places this workspace could take: only its own if it has its whole share. */
  function endsFor(workspaceId: string): number {
    const hasItsShare = (underWay.get(workspaceId) ?? 0) >= mostOfOne;
    return hasItsShare ? (endedOf.get(workspaceId)?.value() ?? 0) : ended.value();
  }

  return {
    enter(send) {
      if (line.length() === 0 && mayBegin(send.workspaceId)) {
        start(send);
        return;
      }
      line.add(send.workspaceId, { send, until: clock.now() + send.patienceMs });
      startNext();
      if (line.length() > 0) watch();
    },
    leave(workspaceId) {
      ended.add();
      endedOf.get(workspaceId)?.add();
      total -= 1;
      const left = (underWay.get(workspaceId) ?? 0) - 1;
      if (left > 0) underWay.set(workspaceId, left);
      else {
        underWay.delete(workspaceId);
        forgetQuiet();
      }
      startNext();
    },
    inLine: (workspaceId) => line.length(workspaceId),
    free: () => most - total,
    room(workspaceId, withinMs, reserved) {
      const ends = (endsFor(workspaceId) * withinMs) / windowMs;
      const turns = Math.floor(ends / line.turnsWith(workspaceId));
      const free = Math.max(0, freeOf(workspaceId, reserved));
      return free + Math.max(0, turns - line.length(workspaceId));
    },
    clear() {
      callOff?.();
      giveBack(line.takeAll(() => true).map(({ send }) => send));
    },
  };
}
