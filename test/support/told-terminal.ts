// A terminal that keeps what it is told, for commands that run within the test.

import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../../src/cli/command.ts';

export interface ToldTerminal extends Terminal {
  /** What was printed, without colours. */
  readonly said: () => string;
  readonly complained: () => string;
}

export function toldTerminal({ isTty = true, input = '' } = {}): ToldTerminal {
  const told = { out: '', err: '' };
  return {
    out: (line) => void (told.out += `${line}\n`),
    err: (line) => void (told.err += `${line}\n`),
    isTty,
    stopped: new Promise(() => undefined),
    input: () => Promise.resolve(input),
    said: () => stripVTControlCharacters(told.out),
    complained: () => stripVTControlCharacters(told.err),
  };
}
