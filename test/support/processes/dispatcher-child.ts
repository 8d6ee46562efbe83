// Starts dispatchers as separate processes (dispatcher-process.ts).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { addressOf, type TestDatabase } from '../database/test-database.ts';
import { compiledSources } from './compiled-sources.ts';
import type { DispatcherSetting, RunningDispatcher } from './running-dispatcher.ts';

const program = fileURLToPath(new URL('./dispatcher-process.ts', import.meta.url));

/** The address by which Outrider's own processes log in. */
export function serviceUrl(database: TestDatabase): string {
  const { serviceLogin, servicePassword } = inject('postgres');
  return addressOf(database.url, database.name, serviceLogin, servicePassword);
}

export interface DispatcherProcess extends RunningDispatcher {
  /** What its log has warned of so far. */
  readonly warnings: readonly string[];
}

export async function startDispatcherProcess(
  setting: Pick<DispatcherSetting, 'url' | 'providers' | 'concurrency'>,
): Promise<DispatcherProcess> {
  const child = spawn(process.execPath, [program, JSON.stringify(setting)], {
    env: { ...process.env, ...compiledSources },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const warnings: string[] = [];
  const running = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'running') resolve();
      else warnings.push(line);
    });
  });
  await Promise.race([
    running,
    ended.then(() => {
      throw new Error('the dispatcher ended before it ran');
    }),
  ]);
  return {
    warnings,
    async stop() {
      child.stdin.end();
      const killed = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(killed);
    },
  };
}
