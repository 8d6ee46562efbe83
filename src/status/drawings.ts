// Draws each reading once for all who look at it, and writes each step from one reading to the next once: with many channels
// both take longer than the reading itself, and a hundred browsers would keep the process from sending.

import type { View } from './pages/links.ts';
import { type Seen, sectionsOf } from './pages/overview.ts';
import { changes, type Section } from './section.ts';

export type Drawn = readonly Section[];

/** What a browser has before anything was sent to it. */
export const blank: Drawn = [];

export interface Drawings {
  of(seen: Seen, view: View): Drawn;
  /** The server-sent event that turns the first into the second; undefined when both are the same. */
  step(from: Drawn, to: Drawn): Buffer | undefined;
}

export function createDrawings(draw: typeof sectionsOf = sectionsOf): Drawings {
  /** A reading is of one workspace and one span of time: its views differ in how many channels they list. */
  const drawn = new WeakMap<Seen, Map<boolean, Drawn>>();
  const steps = new WeakMap<Drawn, WeakMap<Drawn, Buffer | undefined>>();

  return {
    of(seen, view) {
      const views = drawn.get(seen) ?? new Map<boolean, Drawn>();
      drawn.set(seen, views);
      const known = views.get(view.all) ?? draw(seen, view);
      views.set(view.all, known);
      return known;
    },
    step(from, to) {
      const known = steps.get(from) ?? new WeakMap<Drawn, Buffer | undefined>();
      steps.set(from, known);
      if (!known.has(to)) known.set(to, eventOf(from, to));
      return known.get(to);
    },
  };
}

function eventOf(from: Drawn, to: Drawn): Buffer | undefined {
  const pieces = changes(from, to);
  return pieces.length === 0 ? undefined : Buffer.from(`data: ${JSON.stringify(pieces)}\n\n`);
}
