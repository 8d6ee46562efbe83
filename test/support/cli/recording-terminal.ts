// A terminal that records what is written to it, for commands that run within the test.

import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../../../src/cli/command.ts';

export interface RecordingTerminal extends Terminal {
  /** Standard output, without colours. */
  readonly printed: () => string;
  /** Standard error, without colours. */
  readonly printedErrors: () => string;
  /** The lines that tell a waiting person what is going on. */
  readonly shownProgress: () => string;
}

export function recordingTerminal({
  isTty = true,
  input = '',
  stopped = new Promise<void>(() => undefined),
} = {}): RecordingTerminal {
  const recorded = { out: '', err: '', progress: '' };
  return {
    out: (line) => void (recorded.out += `${line}\n`),
    err: (line) => void (recorded.err += `${line}\n`),
    redraw: (lines) => void (recorded.out += lines.map((line) => `${line}\n`).join('')),
    progress: (line) => void (recorded.progress += `${line}\n`),
    isTty,
    stopped,
    input: () => Promise.resolve(input),
    printed: () => stripVTControlCharacters(recorded.out),
    printedErrors: () => stripVTControlCharacters(recorded.err),
    shownProgress: () => recorded.progress,
  };
}
