// The script of faults: which call is struck by what. Counting happens here, playing in the server.

import type { Fault, FaultKind, Platform } from './simulator.ts';

/** What a fault is matched by. */
export interface Call {
  readonly platform: Platform;
  readonly method: string;
  readonly chat?: string;
}

export interface FaultScript {
  add(fault: Fault): void;
  /** What is still to come: `times` and `after` are what is left of them. */
  list(): Fault[];
  clear(): void;
  /** Counts the call; the first fault in the order of the script that strikes it. */
  strike(call: Call): Fault | undefined;
}

/** Faults that only one platform can word. */
const native: Partial<Record<FaultKind, Platform>> = {
  migrated: 'telegram',
  attachment_not_ready: 'max',
  success_false: 'max',
  captcha: 'vk',
};

/** The only platform that knows the fault; undefined: all do. */
export function homeOf(kind: FaultKind): Platform | undefined {
  return native[kind];
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
    clear() {
      entries = [];
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
  const platform = fault.platform ?? native[fault.kind] ?? call.platform;
  return (
    platform === call.platform &&
    (native[fault.kind] ?? platform) === platform &&
    (fault.method ?? call.method).toLowerCase() === call.method.toLowerCase() &&
    (fault.chat === undefined || fault.chat === call.chat)
  );
}
