// Runs `outrider publish` as separate processes.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { compiledSources } from './compiled-sources.ts';

export interface PublisherProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out(): string;
  err(): string;
}

const root = path.resolve(import.meta.dirname, '../../..');

export function startPublisherProcess(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): PublisherProcess {
  const child = spawn(process.execPath, ['src/cli/outrider.ts', 'publish', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...compiledSources, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (texts.err += text));
  const ended = once(child, 'close').then(() => child.exitCode);
  return { child, ended, out: () => texts.out, err: () => texts.err };
}

/** Keeps `size` processes running: when one ends, it starts another. */
export class PublisherProcesses {
  readonly #env: Readonly<Record<string, string>>;
  readonly #running: PublisherProcess[] = [];
  readonly #places: Promise<void>[];
  #isStopping = false;
  kills = 0;

  constructor(env: Readonly<Record<string, string>>, size: number) {
    this.#env = env;
    this.#places = Array.from({ length: size }, (_, place) => this.#keep(place));
  }

  async #keep(place: number): Promise<void> {
    while (!this.#isStopping) {
      const process = startPublisherProcess(this.#env, ['--json']);
      this.#running[place] = process;
      await process.ended;
    }
  }

  /** kill -9 for one of them. */
  kill(random: number): void {
    const victim = this.#running[Math.floor(random * this.#running.length)];
    if (victim?.child.kill('SIGKILL') === true) this.kills += 1;
  }

  /** SIGTERM for all; answers with their exit codes. */
  async stop(): Promise<(number | null)[]> {
    this.#isStopping = true;
    for (const { child } of this.#running) child.kill('SIGTERM');
    await Promise.all(this.#places);
    return Promise.all(this.#running.map(({ ended }) => ended));
  }
}
