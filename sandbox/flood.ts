// Hidden limits: sliding windows by key. Refused calls are not counted, so waiting as long as the answer says is
// always enough.

import type { Clock } from './clock.ts';

/** At most `calls` calls under the key within any span of `ms`. */
export interface FloodWindow {
  readonly key: string;
  readonly calls: number;
  readonly ms: number;
}

export interface FloodControl {
  /**
   * Counts the call in every window and returns 0, or counts it in none and returns the milliseconds until all
   * windows have room. A weight above 1 counts as that many calls.
   */
  take(windows: readonly FloodWindow[], weight?: number): number;
  /** Forgets every call. */
  clear(): void;
}

export function createFloodControl(clock: Clock): FloodControl {
  const taken = new Map<string, number[]>();

  function recent(window: FloodWindow): number[] {
    const calls = (taken.get(window.key) ?? []).filter((at) => at > clock.now() - window.ms);
    if (calls.length === 0) taken.delete(window.key);
    else taken.set(window.key, calls);
    return calls;
  }

  /** A weight that is larger than the whole window passes when the window is empty. */
  function wait(window: FloodWindow, weight: number): number {
    const calls = recent(window);
    const blocking = calls[calls.length - Math.max(window.calls - weight, 0) - 1];
    return blocking === undefined ? 0 : blocking + window.ms - clock.now();
  }

  return {
    take(windows, weight = 1) {
      const longest = Math.max(0, ...windows.map((window) => wait(window, weight)));
      if (longest > 0) return longest;
      for (const { key } of windows) {
        const calls = taken.get(key) ?? [];
        taken.set(key, [...calls, ...Array.from({ length: weight }, () => clock.now())]);
      }
      return 0;
    },
    clear: () => taken.clear(),
  };
}
