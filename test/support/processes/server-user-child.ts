import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Account } from '../../../src/db/embedded/account.ts';
import type { ServerOptions } from '../../../src/db/embedded/server.ts';

const said = z.object({ port: z.number(), startedHere: z.boolean() });

/** Another process that uses the same embedded server (server-user-process.ts). */
export interface ServerUser {
  readonly port: number;
  readonly startedHere: boolean;
  /** Ends it in good order. */
  leave(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

/** Starts the process without waiting for it. It has its own process group: a kill of that reaches its children. */
export function spawnServerUser(options: ServerOptions, account?: Account): ChildProcess {
  const program = fileURLToPath(new URL('./server-user-process.ts', import.meta.url));
  return spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    ...account,
  });
}

export async function serverUser(options: ServerOptions, account?: Account): Promise<ServerUser> {
  const child = spawnServerUser(options, account);
  const ended = once(child, 'exit');
  if (child.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    return {
      ...said.parse(JSON.parse(line)),
      async leave() {
        child.stdin?.end();
        await ended;
      },
      async kill() {
        child.kill('SIGKILL');
        await ended;
      },
    };
  }
  throw new Error('the process ended without a word');
}
