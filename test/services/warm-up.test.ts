import { beforeAll, describe, expect, it } from 'vitest';
import { warmUp } from '../../src/db/health.ts';
import { tables } from '../support/database/catalogue.ts';
import { addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'city');
  await addChannel(database.admin, 'city', 'news');
});

async function rowCounts(): Promise<Record<string, unknown>> {
  const counts: Record<string, unknown> = {};
  for (const { name } of await tables(database.admin)) {
    const { rows } = await database.admin.query(`select count(*) from outrider.${name}`);
    counts[name] = rows[0];
  }
  return counts;
}

describe('warm_up', () => {
  it('takes a post through intake, claim and commit, and leaves nothing behind', async () => {
    const before = await rowCounts();
    expect(await warmUp(database.service, start)).toBe(true);
    expect(await rowCounts()).toEqual(before);
  });

  it('says so when it cannot, and breaks nothing', async () => {
    const { admin, service } = database;
    await admin.query(
      'alter table outrider.leases add constraint nobody_sends check (false) not valid',
    );
    expect(await warmUp(service, start)).toBe(false);
    await admin.query('alter table outrider.leases drop constraint nobody_sends');
    expect(await warmUp(service, start)).toBe(true);
  });
});
