// The worker of the demo: `outrider run ingest dispatch` as a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { platforms } from '../../adapters/platforms.ts';
import type { Config } from '../../config.ts';

export interface Worker {
  readonly pid: number;
  readonly url: string;
  /** As the kernel does when memory runs out: without a word. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** The signal kills it: whoever breaks the demo off does not wait for what the worker has under way. */
export async function startWorker(
  config: Config,
  databaseUrl: string,
  signal: AbortSignal,
): Promise<Worker> {
  const [node, program = ''] = process.argv;
  const child = spawn(node ?? process.execPath, [program, 'run', 'ingest', 'dispatch', '--json'], {
    env: {
      ...config.secrets,
      DATABASE_URL: databaseUrl,
      OUTRIDER_DATA_DIR: config.dataDir,
      OUTRIDER_HOST: '127.0.0.1',
      OUTRIDER_PORT: '0',
      ...Object.fromEntries(
        platforms.map(({ name, apiUrlVariable }) => [apiUrlVariable, config.apiUrls[name]]),
      ),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  child.on('error', () => undefined); // the signal's; the end of the worker is told otherwise
  const url = await listeningAt(child);
  return {
    pid: child.pid ?? 0,
    url,
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  };
}

async function listeningAt(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('the worker has no standard error');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      child.stderr.resume();
      return url;
    }
    said.push(line);
  }
  throw new Error(`the worker did not start: ${said.join(' ')}`);
}

/** Ends a process and waits for it, also when whoever has started it breaks it off meanwhile. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Not `once` of node:events, which fails with the error that tells of the breaking off.
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
