import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Account } from '../../../src/db/embedded/account.ts';
import type { ServerOptions } from '../../../src/db/embedded/server.ts';

const said = z.object({ port: z.number(), startedHere: z.boolean() });

/** Another process on the same server. */
export interface Neighbour {
  readonly port: number;
  readonly startedHere: boolean;
  /** Leaves as a process should. */
  leave(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

/** Starts it without waiting; a process group of its own, so that a kill can take its children. */
export function spawnNeighbour(options: ServerOptions, account?: Account): ChildProcess {
  const program = fileURLToPath(new URL('./server-user-process.ts', import.meta.url));
  return spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    ...account,
  });
}

export async function neighbour(options: ServerOptions, account?: Account): Promise<Neighbour> {
  const child = spawnNeighbour(options, account);
  const ended = once(child, 'exit');
  if (child.stdout === null) throw new Error('the neighbour has no output');
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
  throw new Error('the neighbour ended without a word');
}
