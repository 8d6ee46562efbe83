import path from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { configOf } from '../../src/given-config.ts';

const base = loadConfig();

it('takes from the environment what is given as undefined', () => {
  const given = { concurrency: undefined, http: { port: undefined, host: '::1' } };
  expect(configOf(given)).toEqual({ ...base, http: { ...base.http, host: '::1' } });
});

it('has the database and the media in a data folder that is given, and nothing anywhere else', () => {
  const dataDir = path.resolve('kept');
  expect(configOf({ dataDir: 'kept' })).toEqual({
    ...base,
    dataDir,
    isDataDirChosen: true,
    postgresDir: path.join(dataDir, 'postgres'),
    mediaDir: path.join(dataDir, 'media'),
  });
});
