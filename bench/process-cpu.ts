// How much CPU processes have used, as Linux tells it in /proc.

import { readdirSync, readFileSync } from 'node:fs';

// The kernel reports times in ticks of USER_HZ, which is 100 on every Linux platform Node supports.
const MICROS_PER_TICK = 10_000;

interface ProcessTimes {
  readonly parentPid: number;
  readonly ownMicros: number;
  /** CPU of children that have ended and were waited for. */
  readonly endedChildrenMicros: number;
}

/**
 * CPU of the main thread of one process so far, in nanoseconds: for calls that take less than a tick. A backend of
 * PostgreSQL has no other thread.
 */
export function cpuNanosOfThread(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]);
}

/** CPU of one process so far. */
export function cpuMicrosOfProcess(pid: number): number {
  return timesOf(pid)?.ownMicros ?? 0;
}

/**
 * CPU of a process, its live children, and its children that have ended, so far.
 * A backend that ends between two readings moves from the second sum to the third: the total stays true.
 */
export function cpuMicrosOfFamily(pid: number): number {
  const parent = timesOf(pid);
  if (parent === undefined) return 0;
  let total = parent.ownMicros + parent.endedChildrenMicros;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const times = timesOf(Number(entry));
    if (times?.parentPid === pid) total += times.ownMicros;
  }
  return total;
}

function timesOf(pid: number): ProcessTimes | undefined {
  const stat = readStat(pid);
  if (stat === undefined) return undefined;
  // The command in parentheses may itself hold spaces and parentheses, so fields are counted after the last one.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parentPid = 0] = fields;
  const [userTicks = 0, systemTicks = 0, endedUserTicks = 0, endedSystemTicks = 0] = fields.slice(
    11,
    15,
  );
  return {
    parentPid,
    ownMicros: (userTicks + systemTicks) * MICROS_PER_TICK,
    endedChildrenMicros: (endedUserTicks + endedSystemTicks) * MICROS_PER_TICK,
  };
}

function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined; // it ended between the listing and the reading
  }
}
