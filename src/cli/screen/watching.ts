// Shows something again and again, on a terminal.

import { type Clock, systemClock } from '../../clock.ts';
import { OutriderError } from '../../errors.ts';
import { type Terminal, UsageError } from '../command.ts';
import { flag, text } from '../given/options.ts';
import type { Form } from './form.ts';
import { paint, terminalHeight } from './table.ts';

export const watchOptions = { watch: flag, interval: text } as const;

export const watchUsage = `  --watch         shows it again every two seconds until Ctrl-C, on a terminal
  --interval S    with --watch: every S seconds, 1 to 3600`;

/** How often something is shown, in milliseconds; undefined: once. */
export function intervalOf(
  terminal: Terminal,
  form: Form,
  { watch, interval }: { readonly watch: boolean; readonly interval?: string | undefined },
): number | undefined {
  if (!watch) {
    if (interval === undefined) return undefined;
    throw new UsageError('--interval says how often --watch looks; say --watch, too');
  }
  if (!terminal.isTty || form !== 'table') {
    throw new UsageError('--watch shows tables, and only on a terminal');
  }
  const seconds = Number(interval ?? '2');
  if (seconds >= 1 && seconds <= 3600) return seconds * 1000;
  throw new UsageError(`--interval ${interval}: it is a number of seconds from 1 to 3600`);
}

export interface Watch {
  readonly everyMs: number | undefined;
  readonly clock?: Clock;
  readonly height?: () => number;
  /** Whether what is shown takes the place of what was shown before, as it does on a terminal; else it comes below it. */
  readonly inPlace?: boolean;
}

/** Shows something. Answers with `over` when there will be nothing new. */
export type Show = (screen: Terminal) => Promise<'over' | void>;

/** Shows something once, or again and again until it is over or the terminal is told to stop. */
export async function watching(terminal: Terminal, watch: Watch, show: Show): Promise<void> {
  const { everyMs, clock = systemClock, height = terminalHeight, inPlace = true } = watch;
  if (everyMs === undefined) {
    await show(terminal);
    return;
  }
  const { promise: over, resolve: end } = Promise.withResolvers<'over'>();
  void terminal.stopped.then(() => end('over'));
  for (;;) {
    const shown = await Promise.race([screenOf(terminal, show), over]);
    if (shown === 'over') return;
    const { lines, isOver } = shown;
    if (inPlace) terminal.redraw(fitting(terminal, lines, height()));
    else for (const { words, isError } of lines) terminal[isError ? 'err' : 'out'](words);
    if (isOver) return;
    let callOff: (() => void) | undefined;
    const rest = new Promise<void>((resolve) => {
      callOff = clock.after(everyMs, resolve);
    });
    if ((await Promise.race([rest, over])) === 'over') {
      callOff?.();
      return;
    }
  }
}

interface Shown {
  readonly lines: readonly ShownLine[];
  readonly isOver: boolean;
}

interface ShownLine {
  readonly words: string;
  readonly isError: boolean;
}

/** What is to be on the screen. A database that is away for a while does not end the watching. */
async function screenOf(terminal: Terminal, show: Show): Promise<Shown> {
  const lines: ShownLine[] = [];
  const keeper = (isError: boolean) => (given: string) => {
    lines.push(...given.split('\n').map((words) => ({ words, isError })));
  };
  const err = keeper(true);
  try {
    const isOver = (await show({ ...terminal, out: keeper(false), err })) === 'over';
    return { lines, isOver };
  } catch (error) {
    const passes =
      error instanceof OutriderError && ['database_away', 'database_busy'].includes(error.code);
    if (!passes) throw error;
    lines.splice(0);
    err(paint(terminal, 'red', error.message));
    err('It is asked again.');
    return { lines, isOver: false };
  }
}

/** As many lines as fit on the screen. The last one says how to end it. */
function fitting(terminal: Terminal, lines: readonly ShownLine[], height: number): string[] {
  const room = Math.max(height - 2, 1);
  const shown = lines.slice(0, room).map((each) => each.words);
  const more = lines.length - shown.length;
  const note = `${more > 0 ? `${more} more lines · ` : ''}Ctrl-C ends`;
  return [...shown, paint(terminal, 'gray', note)];
}
