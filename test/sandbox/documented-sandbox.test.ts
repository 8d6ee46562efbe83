// docs/sandbox.md: every example is run as it stands, in the order of the page, against an empty sandbox.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { movableClock } from '../../sandbox/clock.ts';
import { type Platform, simulated } from '../../sandbox/platforms.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const page = await readFile(path.join(root, 'docs/sandbox.md'), 'utf8');

interface Example {
  /** Its first line. */
  readonly name: string;
  readonly command: string;
  /** What the page says is answered. */
  readonly answer: string;
}

const [prelude, ...examples] = [
  ...page.matchAll(/```sh\n([^]*?)```\n(?:\n```json\n([^]*?)```)?/g),
].map(([, command = '', answer = '']): Example => {
  const [name = ''] = command.split('\n', 1);
  return { name, command, answer };
});

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: movableClock(Date.UTC(2026, 0, 1, 9)) });
});

afterAll(() => sandbox.close());

/** Runs a block of the page behind its first one, with this sandbox in place of the page's. */
async function paste({ command }: Example): Promise<unknown> {
  const urls = [sandbox.controlUrl, ...simulated.map(({ name }) => sandbox[name].url)];
  const lines = urls.reduce(
    (text, url, index) => text.replaceAll(`http://127.0.0.1:900${index}`, url),
    `${prelude?.command}\n${command}`,
  );
  const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', lines]);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const anything: unknown = expect.anything();

/** An ellipsis on the page stands for anything. */
function expected(answer: string): object {
  const said: unknown = JSON.parse(answer, (_, value: unknown) =>
    value === '…' ? anything : value,
  );
  return z.union([z.array(z.unknown()), z.looseObject({})]).parse(said);
}

describe('the page of the sandbox', () => {
  it.each(examples)('has an example that does what it says: $name', async (example) => {
    const answer = await paste(example);
    expect(answer).toBeTypeOf('object'); // a number matches {}
    expect(answer).toMatchObject(expected(example.answer));
  });

  it.each(simulated.map(({ name }) => name))('has an example of every order of %s', (platform) => {
    const shown = page.matchAll(new RegExp(`order control/${platform}/(\\w+)`, 'g'));
    expect(new Set(ordersOf(platform))).toEqual(new Set(Array.from(shown, ([, name]) => name)));
  });

  it('has an example for a test that runs as it stands', async () => {
    const [, program = ''] = /```ts\n([^]*?)```/.exec(page) ?? [];
    const own = JSON.stringify(path.join(root, 'src/cli/outrider.ts'));
    const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-sandbox-page-'));
    try {
      const file = path.join(folder, 'example.mts');
      await writeFile(file, program.replace("'npx', ['outrider'", `process.execPath, [${own}`));
      expect((await run(process.execPath, [file])).stdout).toBe("[ 'Hello' ]\n");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The orders that a simulator names when it is given one that it has not. */
function ordersOf(platform: Platform): string[] {
  try {
    sandbox[platform].simulator.control('none', {});
  } catch (error) {
    const words = error instanceof Error ? error.message : '';
    return /; (?:there are|it takes) (.*)\.$/.exec(words)?.[1]?.split(', ') ?? [];
  }
  return [];
}
