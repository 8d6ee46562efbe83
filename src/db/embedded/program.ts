// Runs programs, PostgreSQL's and the system's, as the server's user.

import { type ChildProcess, spawn } from 'node:child_process';
import { OutriderError } from '../../errors.ts';
import type { Account } from './account.ts';

export interface ProgramEnd {
  /** undefined: the program could not be run at all; `output` says why. */
  readonly code: number | undefined;
  readonly output: string;
}

// PostgreSQL's programs get nothing of our environment: PGDATA, PGPORT or a locale of the shell would change what they
// do. Their messages are English, because we tell some of them apart.
export const programEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** The options of `spawn` that run a program as the account; undefined: as ourselves. */
export function asAccount(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Runs a program to its end and collects its output. The program has a session of its own, so that a Ctrl-C in our
 * terminal does not reach it. The signal ends it, with all programs that it has started.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  account?: Account,
  signal?: AbortSignal,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, args, {
      ...asAccount(account),
      cwd: '/',
      env: programEnvironment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = (): void => endGroup(child);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on('error', (error) => resolve({ code: undefined, output: error.message }));
    child.on('close', (code) => {
      signal?.removeEventListener('abort', end);
      resolve({ code: code ?? undefined, output: output.trim() });
    });
  });
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

export function serverFault(fault: string, hint: string): OutriderError {
  return new OutriderError('embedded_server', fault, { hint });
}
