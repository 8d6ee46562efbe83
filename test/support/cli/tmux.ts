// A terminal for programs that draw on the whole screen: tmux, on a socket and with settings of its own.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { missingProgram } from '../brokers/debian-package.ts';
import { compiledSources } from '../processes/compiled-sources.ts';

const run = promisify(execFile);

export interface Tmux {
  /** Keys by tmux's names, such as Enter, Down or C-c; any other text is typed as it is. */
  press(...keys: string[]): Promise<void>;
  /** What is to be seen, line by line, without blanks at the end. */
  screen(): Promise<string>;
  /** The same with its colours. */
  paintedScreen(): Promise<string>;
  /** Waits until the screen shows something; answers with the screen. */
  until(shown: RegExp): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** What the terminal says about itself, such as #{alternate_on}. */
  ask(format: string): Promise<string>;
  close(): Promise<void>;
}

export interface TmuxOptions {
  readonly columns: number;
  readonly rows: number;
  /** A line of the shell. */
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Why there is no tmux; undefined: there is. */
export function missingTmux(): string | undefined {
  return missingProgram('tmux', 'tmux');
}

// Without a line of its own, and without waiting for what may follow an Escape.
const settings = `
set -g status off
set -s escape-time 0
set -g default-terminal tmux-256color
set -g remain-on-exit on
`;

const patienceMs = 60_000;

export async function openTmux(options: TmuxOptions): Promise<Tmux> {
  const { columns, rows, command, folder, env } = options;
  const own = await mkdtemp(path.join(os.tmpdir(), 'outrider-tmux-'));
  const file = path.join(own, 'tmux.conf');
  await writeFile(file, settings);
  const base = ['-u', '-S', path.join(own, 'socket'), '-f', file];
  const environment = {
    PATH: process.env['PATH'],
    LC_ALL: 'C.UTF-8',
    HOME: own,
    ...compiledSources,
    ...env,
  };
  const tmux = async (...words: string[]): Promise<string> => {
    const { stdout } = await run('tmux', [...base, ...words], { cwd: folder, env: environment });
    return stdout;
  };
  const captured = (...words: string[]) => tmux('capture-pane', '-p', '-t', 'main', ...words);
  await tmux(
    'new-session',
    '-d',
    '-s',
    'main',
    '-x',
    String(columns),
    '-y',
    String(rows),
    'sh',
    '-c',
    command,
  );
  return {
    async press(...keys) {
      for (const each of keys) {
        const isName = /^(Enter|Escape|Tab|BTab|Space|BSpace|Up|Down|PPage|NPage|C-.)$/.test(each);
        await tmux('send-keys', '-t', 'main', ...(isName ? [each] : ['-l', each]));
      }
    },
    screen: () => captured(),
    paintedScreen: () => captured('-e'),
    async until(shown) {
      const deadline = Date.now() + patienceMs;
      for (;;) {
        const text = await captured();
        if (shown.test(text)) return text;
        if (Date.now() > deadline) throw new Error(`${String(shown)} is not shown:\n${text}`);
        await pause(50);
      }
    },
    async resize(toColumns, toRows) {
      await tmux('resize-window', '-t', 'main', '-x', String(toColumns), '-y', String(toRows));
    },
    ask: async (format) => (await tmux('display-message', '-p', '-t', 'main', format)).trim(),
    async close() {
      await tmux('kill-server').catch(() => undefined);
      await rm(own, { recursive: true, force: true });
    },
  };
}
