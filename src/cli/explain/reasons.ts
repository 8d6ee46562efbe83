// Reasons as the database says them, laid out for a terminal: why, until when, and what to do.

import type { Explanation } from '../../db/explain.ts';
import type { Terminal } from '../command.ts';
import { oneLine, widthOf } from '../screen/shown-text.ts';
import { type Colour, paint, terminalWidth } from '../screen/table.ts';
import { inFull } from '../screen/times.ts';

/** Why, and until when, in one line. */
export function reasonInWords({ because, until }: Explanation, now: Date): string {
  return oneLine(until === null ? because : `${because} Until ${inFull(until, now)}.`);
}

/** Why, in its colour; below it what to do. */
export function printReason(
  terminal: Terminal,
  reason: Explanation,
  {
    now,
    indent,
    colour,
  }: { readonly now: Date; readonly indent: number; readonly colour?: Colour },
): void {
  for (const line of wrapped(reasonInWords(reason, now), indent)) {
    terminal.out(colour === undefined ? line : paint(terminal, colour, line));
  }
  printAdvice(terminal, reason.advice, indent);
}

export function printAdvice(terminal: Terminal, advice: string, indent: number): void {
  const [first = '', ...rest] = wrapped(oneLine(advice), indent + 2);
  terminal.out(`${' '.repeat(indent)}→ ${first.trimStart()}`);
  for (const line of rest) terminal.out(line);
}

const narrowest = 40;
const widest = 110;

/** Lines no wider than the terminal, and than what reads well, broken between words. */
function wrapped(text: string, indent: number): string[] {
  const room = Math.max(narrowest, Math.min(terminalWidth(), widest)) - indent;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= room) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`);
}
