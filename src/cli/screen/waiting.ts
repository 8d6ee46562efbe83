// Tells somebody who waits what a command is waiting for.

import { type Clock, systemClock } from '../../clock.ts';
import type { Terminal } from '../command.ts';

/** After this long somebody begins to wonder. */
const silenceMs = 1000;

type Listener = Pick<Terminal, 'progress'>;

/** Waits for a piece of work. Once it has taken a second, says what is being done: "waiting for the database". */
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

/** The same for work in stages: says each that takes a second. To begin a stage again does not restart its second. */
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
