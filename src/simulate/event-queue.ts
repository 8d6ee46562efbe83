// Events in the order of their times; of the same time, in the order in which they were added.

export interface EventQueue<Event> {
  add(at: number, event: Event): void;
  /** When the next event is; Infinity when there is none. */
  nextAt(): number;
  takeFirst(): Timed<Event> | undefined;
  /** Takes the events up to that time, in their order. */
  takeUntil(at: number): Timed<Event>[];
}

export interface Timed<Event> {
  readonly at: number;
  readonly event: Event;
}

interface Entry<Event> extends Timed<Event> {
  readonly n: number;
}

export function createEventQueue<Event>(): EventQueue<Event> {
  const heap: Entry<Event>[] = [];
  let added = 0;

  function isBefore(a: number, b: number): boolean {
    const [x, y] = [heap[a], heap[b]];
    if (x === undefined || y === undefined) return x !== undefined;
    return x.at < y.at || (x.at === y.at && x.n < y.n);
  }

  function swap(a: number, b: number): void {
    const [x, y] = [heap[a], heap[b]];
    if (x === undefined || y === undefined) return;
    heap[a] = y;
    heap[b] = x;
  }

  function rise(from: number): void {
    for (let n = from; n > 0; ) {
      const parent = (n - 1) >> 1;
      if (!isBefore(n, parent)) return;
      swap(n, parent);
      n = parent;
    }
  }

  function sink(from: number): void {
    for (let n = from; ; ) {
      let first = n;
      for (const child of [2 * n + 1, 2 * n + 2]) if (isBefore(child, first)) first = child;
      if (first === n) return;
      swap(n, first);
      n = first;
    }
  }

  function takeFirst(): Entry<Event> | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first !== last && last !== undefined) {
      heap[0] = last;
      sink(0);
    }
    return first;
  }

  return {
    add(at, event) {
      heap.push({ at, event, n: added });
      added += 1;
      rise(heap.length - 1);
    },
    nextAt: () => heap[0]?.at ?? Number.POSITIVE_INFINITY,
    takeFirst,
    takeUntil(at) {
      const taken: Timed<Event>[] = [];
      while ((heap[0]?.at ?? Number.POSITIVE_INFINITY) <= at) {
        const next = takeFirst();
        if (next !== undefined) taken.push(next);
      }
      return taken;
    },
  };
}
