import { afterAll } from 'vitest';
import { openClient, type Queryable } from '../../../src/db/pool.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { useDatabase } from '../fixtures/database.ts';

export interface Connections {
  /** As many as the bundles that a simulation may run at once. */
  readonly clients: readonly [Queryable, ...Queryable[]];
  readonly database: TestDatabase;
}

/** A database for the file that calls this, and connections to it, as a simulation needs them. */
export async function useConnections(): Promise<Connections> {
  const database = await useDatabase();
  const open = () => openClient({ url: database.url, applicationName: 'outrider test' });
  const clients = await Promise.all([open(), open(), open()]);
  afterAll(async () => void (await Promise.all(clients.map((each) => each.end()))));
  return { clients, database };
}
