import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { serverAccount } from '../../src/db/embedded/account.ts';
import { findBinaries } from '../../src/db/embedded/binaries.ts';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../src/db/embedded/pid-file.ts';
import { standInName, standInPlaces } from '../../src/db/embedded/places.ts';
import { runProgram } from '../../src/db/embedded/program.ts';
import { startServer } from '../../src/db/embedded/server.ts';
import { asRoot, EmbeddedFolders } from '../support/database/embedded-folders.ts';

const folders = new EmbeddedFolders();

describe('a folder', () => {
  it.runIf(asRoot)(
    'that the server’s user cannot reach gets a stand-in, always the same',
    async () => {
      const secluded = await folders.secluded();
      const notices: string[] = [];
      const options = folders.options(path.join(secluded, 'postgres'), {
        standInPlaces: [path.join(folders.parent, 'stand-ins')],
        notice: (line) => notices.push(line),
      });
      const first = await startServer(options);
      expect(path.dirname(first.home)).toBe(path.join(folders.parent, 'stand-ins'));
      expect(notices).toEqual([
        `PostgreSQL's user cannot reach ${options.dataDir}: its data goes to ${first.home}`,
      ]);
      await first.stop();
      await chmod(secluded, 0o755); // by now it could be reached, but the data is elsewhere
      const again = await folders.start(options);
      expect(again.home).toBe(first.home);
      expect(existsSync(options.dataDir)).toBe(false);
    },
  );

  it.each([true, false])(
    'that cannot be written to is refused, and its data goes nowhere else (may move: %s)',
    async (mayMove) => {
      const place = path.join(folders.parent, 'never');
      const notices: string[] = [];
      const options = folders.options('/proc/outrider/postgres', {
        mayMove,
        standInPlaces: [place],
        notice: (line) => notices.push(line),
      });
      await expect(startServer(options)).rejects.toMatchObject({
        code: 'embedded_server',
        message:
          "PostgreSQL's data cannot be kept in /proc/outrider/postgres: /proc/outrider is no folder that the user of this process can write to",
        hint: 'set OUTRIDER_DATA_DIR to a folder that it can write to, or DATABASE_URL to a server of your own',
      });
      expect([notices, existsSync(place)]).toEqual([[], false]);
    },
  );

  it.runIf(asRoot)('that needs a stand-in has none in the temporary folder', async () => {
    const secluded = await folders.secluded();
    const temporary = path.join(os.tmpdir(), 'outrider');
    expect(standInPlaces()).toContain(temporary);
    const options = folders.options(path.join(secluded, 'postgres'), {
      standInPlaces: [temporary],
    });
    await expect(startServer(options)).rejects.toMatchObject({
      code: 'embedded_server',
      hint: expect.stringContaining('OUTRIDER_DATA_DIR'),
    });
    expect(existsSync(path.join(temporary, standInName(options.dataDir)))).toBe(false);
  });

  it('with an encoding other than UTF-8 is refused, and its server does not stay', async () => {
    const options = folders.options('ascii');
    await makeAsciiCluster(options.dataDir);
    await expect(startServer(options)).rejects.toMatchObject({
      code: 'database_unsuitable',
      message: expect.stringContaining('SQL_ASCII'),
    });
    expect(await readPidFile(clusterIn(options.dataDir))).toBeUndefined();
  });

  it('of another major version is refused', async () => {
    const options = folders.options('older');
    await mkdir(path.join(options.dataDir, 'data'), { recursive: true });
    await writeFile(path.join(options.dataDir, 'data', 'PG_VERSION'), '12\n');
    await expect(startServer(options)).rejects.toMatchObject({
      code: 'embedded_server',
      message: expect.stringContaining('is of PostgreSQL 12'),
    });
  });

  it('that holds something else is refused and left alone', async () => {
    const options = folders.options('photos');
    await mkdir(options.dataDir);
    await writeFile(path.join(options.dataDir, 'cat.jpg'), 'meow');
    await expect(startServer(options)).rejects.toThrow(/is not empty and holds no PostgreSQL data/);
    expect(await readdir(options.dataDir)).toEqual(['cat.jpg']);
  });

  it('with a broken configuration yields an error that names the fault and the log', async () => {
    const conf = path.join(clusterIn(folders.shared.dataDir).data, 'postgresql.conf');
    const before = await readFile(conf, 'utf8');
    folders.later(() => writeFile(conf, before));
    await appendFile(conf, '\nno_such_setting = 1\n');
    await expect(startServer(folders.shared)).rejects.toMatchObject({
      code: 'embedded_server',
      message: expect.stringContaining('no_such_setting'),
      hint: expect.stringContaining(clusterIn(folders.shared.dataDir).log),
    });
  });
});

describe('the programs of the package', () => {
  it('get their links when its install script did not run', async () => {
    const options = await copyOfPackage(0o755);
    const found = await findBinaries(options);
    expect(found).toEqual({ binDir: path.join(options.packaged, 'bin'), major: 18 });
  });

  it.runIf(asRoot)('are copied once to where the server’s user can run them', async () => {
    const options = await copyOfPackage(0o700);
    const found = await findBinaries(options);
    expect(found.binDir).toContain(options.places[0]);
    expect(await findBinaries(options)).toEqual(found);
    expect(options.notices).toHaveLength(1);
  });
});

/** What initdb makes in an environment without a locale. */
async function makeAsciiCluster(home: string): Promise<void> {
  const account = await serverAccount(home);
  const { data, passwordFile } = clusterIn(home);
  await mkdir(data, { recursive: true });
  await writeFile(passwordFile, 'known');
  for (const each of [data, passwordFile])
    await chown(each, account?.uid ?? -1, account?.gid ?? -1);
  const { binDir } = await findBinaries({
    binDir: inject('postgres').binDir ?? undefined,
    account,
    places: [],
    notice: () => undefined,
  });
  const flags = [
    data,
    '--no-sync',
    '--no-locale',
    '--username=postgres',
    `--pwfile=${passwordFile}`,
  ];
  expect(await runProgram(path.join(binDir, 'initdb'), flags, account)).toMatchObject({ code: 0 });
}

/** The package as it lies there before its install script ran. */
async function copyOfPackage(mode: number) {
  const account = await serverAccount('/nowhere');
  const places = [path.join(folders.parent, 'programs')];
  const notices: string[] = [];
  const notice = (line: string): number => notices.push(line);
  const installed = await findBinaries({ binDir: undefined, account, places, notice });
  const copy = await folders.secluded();
  await cp(path.join(installed.binDir, '../..'), copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, mode);
  const lib = path.join(copy, 'native', 'lib');
  for (const entry of await readdir(lib, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(path.join(lib, entry.name));
  }
  const packaged = path.join(copy, 'native');
  return { binDir: undefined, packaged, account, places, notice, notices };
}
