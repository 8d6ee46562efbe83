// A terminal that records what is written to it, for commands that run within the test.

import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../../../src/cli/command.ts';

export interface RecordingTerminal extends Terminal {
  /** Standard output, without colours. */
  readonly printed: () => string;
  /** Standard error, without colours. */
  readonly printedErrors: () => string;
  /** The lines that tell a waiting person what is going on; a passing one begins with ~. */
  readonly shownProgress: () => string;
  /** The questions, one in each line. */
  readonly asked: () => string;
}

/** `answer` is what a person answers to every question; without it there is nobody to ask. */
export function recordingTerminal({
  isTty = true,
  input = '',
  answer = undefined as string | undefined,
  stopped = new Promise<void>(() => undefined),
} = {}): RecordingTerminal {
  const recorded = { out: '', err: '', progress: '', asked: '' };
  return {
    out: (line) => void (recorded.out += `${line}\n`),
    bytes: (bytes) => void (recorded.out += Buffer.from(bytes).toString('utf8')),
    err: (line) => void (recorded.err += `${line}\n`),
    redraw: (lines) => void (recorded.out += lines.map((line) => `${line}\n`).join('')),
    progress: (line, passing) =>
      void (recorded.progress += `${passing === undefined ? '' : '~'}${line}\n`),
    isTty,
    stopped,
    input: () => Promise.resolve(input),
    canAsk: answer !== undefined,
    ask: (question) => {
      recorded.asked += `${question}\n`;
      return Promise.resolve(answer ?? '');
    },
    printed: () => stripVTControlCharacters(recorded.out),
    printedErrors: () => stripVTControlCharacters(recorded.err),
    shownProgress: () => recorded.progress,
    asked: () => recorded.asked,
  };
}
