// How much CPU processes have used, as Linux reports it in /proc; see proc(5).

import { readdirSync, readFileSync } from 'node:fs';

// The kernel reports times in ticks of USER_HZ, which is 100 on every Linux platform Node supports.
const MICROS_PER_TICK = 10_000;

interface ProcessTimes {
  readonly parentPid: number;
  readonly ownMicros: number;
  /** CPU of children that have ended and that the process has waited for. */
  readonly endedChildrenMicros: number;
}

/**
 * CPU of the main thread of one process so far. Unlike the others it can measure a call that takes less than a tick. A
 * backend of PostgreSQL has no other thread.
 */
export function cpuNanosOfThread(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]);
}

/** CPU of one process so far. */
export function cpuMicrosOfProcess(pid: number): number {
  return timesOf(pid)?.ownMicros ?? 0;
}

/**
 * CPU of one process and its children so far, those that have ended included: a backend that ends between two calls
 * still counts in the second.
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
  // The command, in parentheses, may contain spaces and parentheses, so fields are counted from the last parenthesis.
  // What comes first after it is field 3 of proc(5); the ticks are its fields 14 to 17.
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
