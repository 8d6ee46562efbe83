// A line on a terminal that passes: the next one takes its place, and in the end nothing is left of it.

import { cutTo, printable } from './shown-text.ts';

export interface PassingLine {
  show(line: string): void;
  /** Takes it away, so that something else can be printed. */
  clear(): void;
}

interface Output {
  write(text: string): unknown;
  readonly columns?: number | undefined;
}

const startOfLine = '\r\u001b[K';

export function createPassingLine(output: Output): PassingLine {
  let isShown = false;
  return {
    show(line) {
      // A line that wraps could not be taken away again.
      const room = (output.columns || 80) - 1;
      output.write(`${startOfLine}${cutTo(printable(line), room)}`);
      isShown = line !== '';
    },
    clear() {
      if (isShown) output.write(startOfLine);
      isShown = false;
    },
  };
}
