// Runs the command line as a separate process that goes on until it is told to stop.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { compiledSources } from '../processes/compiled-sources.ts';

export interface RunningOutrider {
  /** Where its HTTP server listens. */
  readonly url: string;
  /** Everything that it has printed. */
  printed(): string;
  /** Tells it to stop and waits for its end; answers with its exit code. */
  stop(): Promise<number | null>;
}

const root = path.resolve(import.meta.dirname, '../../..');

/** Starts a command that listens, and waits until it says where. */
export async function startRunning(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningOutrider> {
  const child = spawn(process.execPath, ['src/cli/outrider.ts', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], OUTRIDER_PORT: '0', ...compiledSources, ...env },
  });
  const closed = once(child, 'close');
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (piece: string): void => {
      text += piece;
      const found = /listening on (http:\/\/\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('close', () => reject(new Error(`it has ended:\n${text}`)));
  });
  return {
    url,
    printed: () => text,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      return child.exitCode;
    },
  };
}
