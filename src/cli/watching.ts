// Shows something again and again, on a terminal.

import { type Clock, systemClock } from '../clock.ts';
import { OutriderError } from '../errors.ts';
import { type Terminal, UsageError } from './command.ts';
import type { Form } from './form.ts';
import { flag, text } from './options.ts';
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
}

/** Shows something once, or again and again until the terminal is told to stop. */
export async function watching(
  terminal: Terminal,
  { everyMs, clock = systemClock, height = terminalHeight }: Watch,
  show: (screen: Terminal) => Promise<void>,
): Promise<void> {
  if (everyMs === undefined) return show(terminal);
  const { promise: over, resolve: end } = Promise.withResolvers<'over'>();
  void terminal.stopped.then(() => end('over'));
  for (;;) {
    const lines = await Promise.race([screenOf(terminal, show), over]);
    if (lines === 'over') return;
    terminal.redraw(fitting(terminal, lines, height()));
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

/** What is to be on the screen. A database that is away for a while does not end the watching. */
async function screenOf(
  terminal: Terminal,
  show: (screen: Terminal) => Promise<void>,
): Promise<string[]> {
  const lines: string[] = [];
  const keep = (line: string): void => void lines.push(...line.split('\n'));
  try {
    await show({ ...terminal, out: keep, err: keep });
    return lines;
  } catch (error) {
    const passes =
      error instanceof OutriderError && ['database_away', 'database_busy'].includes(error.code);
    if (!passes) throw error;
    return [paint(terminal, 'red', error.message), 'It is asked again.'];
  }
}

/** As many lines as fit on the screen. The last one says how to end it. */
function fitting(terminal: Terminal, lines: readonly string[], height: number): string[] {
  const room = Math.max(height - 2, 1);
  const shown = lines.slice(0, room);
  const more = lines.length - shown.length;
  const note = `${more > 0 ? `${more} more lines · ` : ''}Ctrl-C ends`;
  return [...shown, paint(terminal, 'gray', note)];
}
