import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { listWorkspaces } from '../../src/db/inspect.ts';
import { openDatabase } from '../../src/db/open.ts';
import { openPool } from '../../src/db/pool.ts';
import {
  addressOf,
  openDatabase as openTestDatabase,
  type TestDatabase,
} from '../support/database/test-database.ts';

let database: TestDatabase;
let serviceUrl: string;

beforeAll(async () => {
  database = await openTestDatabase();
  const { adminUrl, serviceLogin, servicePassword } = inject('postgres');
  serviceUrl = addressOf(adminUrl, database.name, serviceLogin, servicePassword);
});

afterAll(() => database.close());

function open(url: string) {
  return openDatabase(loadConfig({ DATABASE_URL: url }));
}

describe('a login that is only outrider_service', () => {
  it('opens a database that is up to date, and changes nothing in it', async () => {
    const opened = await open(serviceUrl);
    expect(Object.values(opened.migrated).flat()).toEqual([]);
    const pool = openPool({ url: opened.serviceUrl, applicationName: 'test' });
    expect(await listWorkspaces(pool)).toEqual([]);
    await pool.end();
    await opened.close();
  });

  it('is told who can migrate a database that is not', async () => {
    await database.admin.query(
      `update outrider.schema_functions set checksum = 'other' where name = 'next_due_at'`,
    );
    await expect(open(serviceUrl)).rejects.toMatchObject({
      code: 'migration_refused',
      message: expect.stringContaining('may not act as outrider_owner'),
    });
  });
});

describe('an administrator', () => {
  it('runs the services as outrider_service, which owns nothing', async () => {
    const opened = await open(addressOf(inject('postgres').adminUrl, database.name));
    const pool = openPool({ url: opened.serviceUrl, applicationName: 'test' });
    const { rows } = await pool.query('select current_user::text as role');
    expect(rows).toEqual([{ role: 'outrider_service' }]);
    await expect(pool.query('delete from outrider.workspaces')).rejects.toThrow(
      'permission denied',
    );
    await pool.end();
    await opened.close();
  });
});
