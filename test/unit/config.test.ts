import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';

describe('the configuration', () => {
  it('means the embedded server in .outrider when nothing is set', () => {
    expect(loadConfig({}, '/srv/app')).toEqual({
      databaseUrl: undefined,
      dataDir: '/srv/app/.outrider',
      postgresDir: '/srv/app/.outrider/postgres',
    });
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ DATABASE_URL: ' ', OUTRIDER_DATA_DIR: '' }, '/srv').dataDir).toBe(
      '/srv/.outrider',
    );
  });

  it('resolves the data folder against the working directory', () => {
    expect(loadConfig({ OUTRIDER_DATA_DIR: 'data' }, '/srv/app').dataDir).toBe('/srv/app/data');
  });

  it('refuses an address that is not PostgreSQL’s, without repeating it', () => {
    const load = () => loadConfig({ DATABASE_URL: 'mysql://root:s3cret@db/x' });
    expect(load).toThrow('DATABASE_URL must be a postgres:// address');
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });
});
