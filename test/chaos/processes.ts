// Outrider as an operator runs it: one process for each role, started again whenever it is gone.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

export interface KeptProcess {
  readonly name: string;
  /** Ends the process without warning; it is started again at once. */
  kill(): void;
  /** Freezes the process, or lets it go on. */
  freeze(): void;
  thaw(): void;
  /** Tells it to stop, and does not start it again. */
  stop(): Promise<void>;
}

export interface Processes {
  readonly folder: string;
  keep(name: string, args: readonly string[], env: Readonly<Record<string, string>>): KeptProcess;
  close(): Promise<void>;
}

/** Processes whose output goes to one file each, in a folder of its own. */
export async function openProcesses(): Promise<Processes> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-chaos-'));
  const kept: KeptProcess[] = [];
  return {
    folder,
    keep(name, args, env) {
      const process = keepRunning(name, args, env, path.join(folder, `${name}.log`));
      kept.push(process);
      return process;
    },
    async close() {
      await Promise.all(kept.map((each) => each.stop()));
      await rm(folder, { recursive: true });
    },
  };
}

function keepRunning(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  logFile: string,
): KeptProcess {
  let child: ChildProcess | undefined;
  let isStopping = false;

  async function run(): Promise<void> {
    while (!isStopping) {
      const log = await open(logFile, 'a');
      child = spawn(process.execPath, ['src/cli/outrider.ts', ...args], {
        cwd: root,
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', log.fd, log.fd],
      });
      await once(child, 'close');
      await log.close();
    }
  }

  const running = run();
  return {
    name,
    kill: () => void child?.kill('SIGKILL'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async stop() {
      isStopping = true;
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      await running;
    },
  };
}
