// Nobody who waits is left without a word.

import { type Clock, systemClock } from '../clock.ts';
import type { Terminal } from './command.ts';

/** After so long somebody begins to wonder. */
const silenceMs = 1000;

type Listener = Pick<Terminal, 'progress'>;

/** Does a piece of work, and says what is being waited for once it has taken a second: "waiting for the database". */
export async function whileWaiting<Result>(
  terminal: Listener,
  what: string,
  work: Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  return throughStages(
    terminal,
    (begin) => {
      begin(what);
      return work;
    },
    clock,
  );
}

/** The same for work in stages: each is told of that takes a second. One that begins anew goes on. */
export async function throughStages<Result>(
  terminal: Listener,
  work: (begin: (what: string) => void) => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  let isDone = false;
  let stage: string | undefined;
  let callOff: (() => void) | undefined;
  const begin = (what: string): void => {
    if (isDone || what === stage) return;
    stage = what;
    callOff?.();
    callOff = clock.after(silenceMs, () => terminal.progress(`${what} …`));
  };
  try {
    return await work(begin);
  } finally {
    isDone = true;
    callOff?.();
  }
}
