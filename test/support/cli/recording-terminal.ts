// A terminal that keeps what it is told, for commands that run within the test.

import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../../../src/cli/command.ts';

export interface ToldTerminal extends Terminal {
  /** What was printed, without colours. */
  readonly said: () => string;
  readonly complained: () => string;
  /** What a person was told who waits. */
  readonly consoled: () => string;
}

export function toldTerminal({
  isTty = true,
  input = '',
  stopped = new Promise<void>(() => undefined),
} = {}): ToldTerminal {
  const told = { out: '', err: '', progress: '' };
  return {
    out: (line) => void (told.out += `${line}\n`),
    err: (line) => void (told.err += `${line}\n`),
    redraw: (lines) => void (told.out += lines.map((line) => `${line}\n`).join('')),
    progress: (line) => void (told.progress += `${line}\n`),
    isTty,
    stopped,
    input: () => Promise.resolve(input),
    said: () => stripVTControlCharacters(told.out),
    complained: () => stripVTControlCharacters(told.err),
    consoled: () => told.progress,
  };
}
