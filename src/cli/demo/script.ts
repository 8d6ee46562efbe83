// What a scene of the demo is, and how it speaks.

import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';
import type { Stage } from './stage.ts';

export interface Scene {
  readonly title: string;
  play(stage: Stage, script: Script): Promise<void>;
}

export interface Script {
  /** What is being done. */
  say(line: string): void;
  /** Something to look at, a line each. */
  show(lines: readonly string[]): void;
  /** What must hold for the demo to succeed. */
  check(claim: string, holds: boolean): void;
  readonly failed: readonly string[];
  readonly checked: number;
}

export function createScript(terminal: Terminal): Script {
  const failed: string[] = [];
  let checked = 0;
  const colour = (name: 'green' | 'red' | 'gray', text: string): string =>
    terminal.isTty ? styleText(name, text) : text;
  return {
    say: (line) => terminal.out(`   ${line}`),
    show(lines) {
      for (const line of lines) terminal.out(colour('gray', `     ${line}`));
    },
    check(claim, holds) {
      checked += 1;
      if (!holds) failed.push(claim);
      terminal.out(`   ${holds ? colour('green', '✓') : colour('red', '✗')} ${claim}`);
    },
    failed,
    get checked() {
      return checked;
    },
  };
}
