import { afterAll } from 'vitest';
import { openClient, type Queryable } from '../../../src/db/pool.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { useDatabase } from '../fixtures/database.ts';

/** A database for the file that calls this, and one connection to it, as a simulation needs. */
export async function useConnection(): Promise<{ client: Queryable; database: TestDatabase }> {
  const database = await useDatabase();
  const client = await openClient({ url: database.url, applicationName: 'outrider test' });
  afterAll(() => client.end());
  return { client, database };
}
