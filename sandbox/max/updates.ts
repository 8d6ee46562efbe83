// Long polling: events wait in a queue, and a marker says how far a bot has read.

import type { Clock } from '../clock.ts';
import type { Json } from './json.ts';

export interface Update {
  readonly type: string;
  readonly json: Json;
}

export interface Query {
  readonly limit: number;
  readonly timeoutMs: number;
  readonly marker?: number | undefined;
  /** All types when empty. */
  readonly types: readonly string[];
}

export interface Queue {
  push(update: Update): void;
  /** Resolves when there is an event or the time is over. */
  poll(query: Query): Promise<Json>;
}

/** How many events a bot may leave unread: assumed. */
const kept = 10_000;

/** While `silent` says yes, the queue holds its events back. */
export function createQueue(clock: Clock, silent: () => boolean): Queue {
  let waiting: { readonly number: number; readonly update: Update }[] = [];
  let wakers: (() => void)[] = [];
  // Clients that leave out falsy values would drop a marker of 0.
  let next = 1_000_000;
  let read = next;

  function take(query: Query): { updates: Json[]; marker: number } {
    if (silent()) return { updates: [], marker: query.marker ?? read };
    const open = waiting.filter(({ number }) => number >= (query.marker ?? read));
    const batch = open
      .filter(({ update }) => query.types.length === 0 || query.types.includes(update.type))
      .slice(0, query.limit);
    const last = batch.length === query.limit ? batch.at(-1)?.number : undefined;
    const marker = last === undefined ? next : last + 1;
    return { updates: batch.map(({ update }) => update.json), marker };
  }

  /** Waits until an event comes or the time is over. */
  function wake(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.later(ms, finish);
      function finish(): void {
        cancel();
        wakers = wakers.filter((waker) => waker !== finish);
        resolve();
      }
      wakers.push(finish);
    });
  }

  return {
    push(update) {
      waiting.push({ number: next, update });
      waiting = waiting.slice(-kept);
      next += 1;
      for (const waker of wakers) waker();
    },
    async poll(query) {
      // A marker says that everything before it has been read.
      read = Math.min(Math.max(read, query.marker ?? read), next);
      waiting = waiting.filter(({ number }) => number >= read);
      const end = clock.now() + query.timeoutMs;
      let found = take(query);
      while (found.updates.length === 0 && clock.now() < end) {
        await wake(end - clock.now());
        found = take(query);
      }
      return found;
    },
  };
}
