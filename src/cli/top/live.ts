// The live view: looks, draws, and obeys keys until somebody quits.

import type { Clock } from '../../clock.ts';
import { InvalidInputError, type OutriderError } from '../../errors.ts';
import { Interrupted } from '../command.ts';
import { linesOf, pageOf, scrollEnd } from './draw.ts';
import { type Filter, filterOf } from './filter.ts';
import { createKeyReader, type Key } from './keys.ts';
import { createLooks } from './looks.ts';
import { createPainter } from './painter.ts';
import type { Paragraph } from './panels.ts';
import type { Picture } from './picture.ts';
import { isPassing } from './plain.ts';
import type { Screen } from './screen.ts';
import { type About, sectionsOf } from './sections.ts';
import { type Effect, firstState, pressed } from './state.ts';
import type { View } from './view.ts';

export interface LiveMeans {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly filter: string;
  readonly hasColours: boolean;
  readonly read: (filter: Filter) => Promise<View>;
  readonly explain: (about: About, view: View) => Promise<readonly Paragraph[]>;
}

/** Resolves when somebody quits; throws Interrupted after Ctrl-C, and what no later look would mend. */
export function watchLive(means: LiveMeans): Promise<void> {
  const { screen, clock, everyMs, hasColours } = means;
  const { promise, resolve: quit, reject: fail } = Promise.withResolvers<void>();
  const widths = new Map<string, number[]>();
  let state = { ...firstState, filter: means.filter };
  let view: View | undefined;
  let before: View | undefined;
  /** The filter that the view was read with. */
  let readWith = '';
  let trouble: Picture['trouble'];
  let explanation: readonly Paragraph[] = [];
  let isOver = false;

  function picture(): Picture {
    const filter = filterOf(state.filter);
    const sections = view === undefined ? [] : sectionsOf(view, filter, state.order);
    const { fault: filterFault } = filter;
    return { view, before, sections, state, explanation, filterFault, trouble, everyMs, widths };
  }

  const painter = createPainter({
    screen,
    hasColours,
    linesFor: (size) => linesOf(picture(), size),
    onFault: fail,
  });

  function draw(): void {
    if (!isOver) painter.draw();
  }

  const looks = createLooks({
    clock,
    everyMs,
    look,
    isResting: () => state.isPaused || isOver,
    onLate() {
      trouble ??= { words: 'the database has not answered yet …' };
      draw();
    },
    onFault: fail,
  });

  async function look(isAsked: boolean): Promise<void> {
    const typed = state.filter;
    try {
      const found = await means.read(filterOf(typed));
      // While the view is paused, only what somebody asked for is shown.
      if (isAsked || !state.isPaused) keep(found, typed);
    } catch (error) {
      if (!passes(error)) throw error;
      trouble = { words: `${error.message}; it is asked again` };
    }
    draw();
  }

  function keep(found: View, typed: string): void {
    // Counts of other channels are no measure.
    before = typed === readWith ? view : undefined;
    [view, readWith, trouble] = [found, typed, undefined];
    explain();
  }

  function explain(): void {
    const { panel } = state;
    if (panel?.kind !== 'explanation' || view === undefined) return;
    explainAbout(panel.about, view).catch(fail);
  }

  async function explainAbout(about: About, known: View): Promise<void> {
    const found = await means.explain(about, known);
    // Another one may have been asked for meanwhile.
    if (state.panel?.kind !== 'explanation' || state.panel.about !== about) return;
    explanation = found;
    draw();
  }

  const effects: Readonly<Record<Effect, () => void>> = {
    quit,
    interrupt: () => fail(new Interrupted()),
    repaint: () => painter.repaint(),
    suspend: () => void painter.aside(() => screen.suspend()).catch(fail),
    read: () => looks.now(),
    explain,
  };

  function onKey(key: Key): void {
    const { filter, panel } = state;
    const [shown, size] = [picture(), screen.size()];
    const seen = { ...shown, page: pageOf(size), scrollEnd: scrollEnd(shown, size) };
    const next = pressed(state, key, seen);
    state = next.state;
    if (state.filter !== filter) widths.clear();
    if (state.isPaused) looks.rest();
    if (panel === undefined) explanation = [{ text: 'looking …', colour: 'gray' }];
    if (next.effect !== undefined) effects[next.effect]();
    draw();
  }

  screen.onText(createKeyReader(clock, onKey));
  screen.onResize(() => {
    widths.clear();
    draw();
  });
  draw();
  looks.now();
  return promise.finally(() => {
    isOver = true;
    looks.rest();
  });
}

/** Also when the database does not take what was typed as a filter: somebody corrects it. */
function passes(error: unknown): error is OutriderError {
  return isPassing(error) || error instanceof InvalidInputError;
}
