// Runs the command line as a separate process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'vitest';
import { compiledSources } from '../processes/compiled-sources.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const root = path.resolve(import.meta.dirname, '../../..');

/** Runs `outrider` against a database until it ends; `input` is its standard input. */
export async function runOutrider(
  args: readonly string[],
  {
    databaseUrl,
    input = '',
    env = {},
    folder = root,
  }: {
    databaseUrl: string;
    input?: string | Uint8Array;
    env?: Readonly<Record<string, string>>;
    /** The folder of the program, if it is a copy. */
    folder?: string;
  },
): Promise<Ended> {
  const child = spawn(process.execPath, ['src/cli/outrider.ts', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, ...compiledSources, ...env },
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (texts.err += text));
  child.stdin.end(input);
  await once(child, 'close');
  return { code: child.exitCode, ...texts };
}

/** The rows of a command's tab-separated output, with the names of its header as keys. */
export function tabbed(text: string): Record<string, string>[] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const names = header.split('\t');
  return lines.map((line) => {
    const values = line.split('\t');
    expect(values).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, n) => [name, values[n] ?? '']));
  });
}
