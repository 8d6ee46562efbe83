// Nobody who waits is left without a word.

import { type Clock, systemClock } from '../clock.ts';
import type { Terminal } from './command.ts';

/** After so long somebody begins to wonder. */
const silenceMs = 1000;

/** Does a piece of work, and says what is being waited for once it has taken a second: "waiting for the database". */
export async function whileWaiting<Result>(
  terminal: Pick<Terminal, 'progress'>,
  what: string,
  work: Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  const callOff = clock.after(silenceMs, () => terminal.progress(`${what} …`));
  try {
    return await work;
  } finally {
    callOff();
  }
}
