// The view without a terminal: a line for each look, in words or as JSON.

import type { Clock } from '../../clock.ts';
import type { ShownActivity } from '../../db/activity-rows.ts';
import { OutriderError } from '../../errors.ts';
import type { Terminal } from '../command.ts';
import { summaryOf } from './summary.ts';

export interface Looking {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly isOnce: boolean;
  readonly isJson: boolean;
  /** Resolves when nobody reads any more. */
  readonly gone: Promise<void>;
  readonly read: () => Promise<ShownActivity>;
}

/** Prints a line for each look, until nobody reads any more. */
export async function printLooks(
  terminal: Pick<Terminal, 'out' | 'err'>,
  { clock, everyMs, isOnce, isJson, gone, read }: Looking,
): Promise<void> {
  let before: ShownActivity | undefined;
  let isGone = false;
  void gone.then(() => void (isGone = true));
  while (!isGone) {
    try {
      const activity = await read();
      terminal.out(isJson ? JSON.stringify(activity) : summaryOf(activity, before));
      before = activity;
    } catch (error) {
      if (isOnce || !isPassing(error)) throw error;
      tellTrouble(terminal, error, isJson);
    }
    if (isOnce) return;
    let callOff: (() => void) | undefined;
    const rest = new Promise<void>((resolve) => void (callOff = clock.after(everyMs, resolve)));
    await Promise.race([rest, gone]);
    callOff?.();
  }
}

/** Whether a later look may be answered. */
export function isPassing(error: unknown): error is OutriderError {
  return error instanceof OutriderError && ['database_away', 'database_busy'].includes(error.code);
}

function tellTrouble(
  terminal: Pick<Terminal, 'out' | 'err'>,
  { code, message }: OutriderError,
  isJson: boolean,
): void {
  if (isJson) terminal.out(JSON.stringify({ error: { code, message } }));
  else terminal.err(`${message}; it is asked again`);
}
