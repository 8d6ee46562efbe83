// The script of faults: which fault strikes which call. Counting happens here; the server plays the faults.

import { simulated } from './platforms.ts';
import type { Fault, FaultKind, SimulatedPlatform } from './simulator.ts';

/** What a fault is matched by. */
export interface Call {
  readonly platform: string;
  readonly method: string;
  readonly chat?: string;
}

export interface FaultScript {
  add(fault: Fault): void;
  /** The faults that are still to come, with what is left of `times` and `after`. */
  list(): Fault[];
  /** Takes back those that fit; all when nothing is given. */
  clear(fits?: (fault: Fault) => boolean): void;
  /** Counts the call. Returns the first fault of the script that strikes it. */
  strike(call: Call): Fault | undefined;
}

const platforms: readonly SimulatedPlatform[] = simulated;

/** The only platform that has the fault; undefined when all have it. */
export function homeOf(kind: FaultKind): string | undefined {
  return platforms.find(({ faults }) => faults.includes(kind))?.name;
}

export function createFaultScript(): FaultScript {
  let entries: { readonly fault: Fault; times: number; after: number }[] = [];
  return {
    add(fault) {
      entries.push({ fault, times: fault.times ?? Infinity, after: fault.after ?? 0 });
    },
    list: () =>
      entries.map(({ fault, times, after }) => ({
        ...fault,
        after,
        times: times === Infinity ? undefined : times,
      })),
    clear(fitting = () => true) {
      entries = entries.filter(({ fault }) => !fitting(fault));
    },
    strike(call) {
      for (const entry of entries.filter(({ fault }) => fits(fault, call))) {
        if (entry.after > 0) {
          entry.after -= 1;
          continue;
        }
        entry.times -= 1;
        if (entry.times <= 0) entries = entries.filter((each) => each !== entry);
        return entry.fault;
      }
      return undefined;
    },
  };
}

function fits(fault: Fault, call: Call): boolean {
  const home = homeOf(fault.kind);
  const platform = fault.platform ?? home ?? call.platform;
  return (
    platform === call.platform &&
    (home ?? platform) === platform &&
    (fault.method ?? call.method).toLowerCase() === call.method.toLowerCase() &&
    (fault.chat === undefined || fault.chat === call.chat)
  );
}
