// The worker of the demo: `outrider run ingest pull dispatch bot monitor` as a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { platforms } from '../../adapters/platforms.ts';
import type { Config } from '../../config.ts';

export interface Worker {
  readonly pid: number;
  readonly url: string;
  /** Ends it without a warning, as the kernel does when memory runs out. */
  kill(): Promise<void>;
  /** Lets it finish its sends first. */
  stop(): Promise<void>;
}

/** Starts a worker. The signal kills it: an interrupted demo does not wait for sends under way. */
export async function startWorker(
  config: Config,
  databaseUrl: string,
  signal: AbortSignal,
): Promise<Worker> {
  const [node, program = ''] = process.argv;
  const child = spawn(
    node ?? process.execPath,
    [program, 'run', 'ingest', 'pull', 'dispatch', 'bot', 'monitor', '--json'],
    {
      env: {
        ...config.secrets,
        DATABASE_URL: databaseUrl,
        OUTRIDER_DATA_DIR: config.dataDir,
        OUTRIDER_HOST: '127.0.0.1',
        OUTRIDER_PORT: '0',
        OUTRIDER_MEDIA_PRIVATE_HOSTS: config.media.privateHosts.join(','),
        ...Object.fromEntries(
          platforms.map(({ name, apiUrlVariable }) => [apiUrlVariable, config.apiUrls[name]]),
        ),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    },
  );
  child.on('error', () => undefined); // the abort signal brings one; `exit` says when the worker has ended
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

/** Sends a signal to a process and waits until it has ended, even if its abort signal kills it meanwhile. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Not `once` of node:events: it would reject with the error that the abort signal brings.
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
