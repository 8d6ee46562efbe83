import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useUndo } from '../support/fixtures/undo.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';
import { runPrefix } from '../support/runner/run-folders.ts';

// A Ctrl-C as a terminal gives it: to all processes of the foreground at once.

const program = path.join(import.meta.dirname, '../../src/cli/outrider.ts');
let folder: string;
const undo = useUndo();

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755); // PostgreSQL's own user passes through
});

interface Foreground {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
  /** Its exit code and signal. */
  readonly ctrlC: () => Promise<unknown[]>;
}

function foreground(...args: string[]): Foreground {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      OUTRIDER_DATA_DIR: folder,
      TMPDIR: folder,
      ...compiledSources,
    },
    detached: true, // a process group of its own
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  undo.push(() => child.kill('SIGKILL'));
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text));
  const ctrlC = async (): Promise<unknown[]> => {
    const ended = once(child, 'close');
    process.kill(-(child.pid ?? 0), 'SIGINT');
    return ended;
  };
  return { child, said, ctrlC };
}

describe('a Ctrl-C', () => {
  it('while PostgreSQL makes its first data ends with 130, without a word and with nothing left', async () => {
    const { said, ctrlC } = foreground('migrate');
    await vi.waitFor(async () => {
      const inside = await readdir(folder, { recursive: true });
      expect(inside.some((each) => each.endsWith('PG_VERSION'))).toBe(true);
    }, 60_000);
    expect(await ctrlC()).toEqual([130, null]);
    expect(said).toEqual({ out: '', err: '' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('in the demo ends it with 130, after one word, and its worker with it', async () => {
    const { said, ctrlC } = foreground('demo');
    await vi.waitFor(() => expect(said.out).toContain('\n1. A new channel'), 60_000);
    expect(await ctrlC()).toEqual([130, null]);
    expect(said.err).toBe('stopping…\n');
    expect(said.out).not.toContain('checks');
    const [, worker = ''] = /worker \(process (\d+)\)/.exec(said.out) ?? [];
    expect(() => process.kill(Number(worker), 0)).toThrow('ESRCH');
    expect(await readdir(folder)).toEqual([]);
  });

  it('while the demo starts ends it with 130, and leaves nothing', async () => {
    const { said, ctrlC } = foreground('demo');
    await vi.waitFor(async () => {
      const inside = await readdir(folder, { recursive: true });
      expect(inside.some((each) => each.endsWith('PG_VERSION'))).toBe(true);
    }, 60_000);
    expect(await ctrlC()).toEqual([130, null]);
    expect(said.err).toBe('stopping…\n');
    expect(await readdir(folder)).toEqual([]);
  });
});
