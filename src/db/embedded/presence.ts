// Who uses the embedded server: the last process to leave stops it.

import pg from 'pg';
import { z } from 'zod';
import { fromPostgres } from '../../errors.ts';
import { assertSuitable } from '../migrate/suitable.ts';
import { queryRow } from '../query-rows.ts';
import { superuser } from './cluster.ts';

// Every process that uses the server holds this lock shared, on a connection of its own. The process that gets it
// exclusively is the last one, and it alone stops the server.
const presenceLock = 7_170_131_001;
const taken = z.object({ taken: z.boolean() });

export interface Presence {
  /** Settles when the connection has ended. */
  readonly lost: Promise<void>;
  /** The server's version; refuses a server that Outrider cannot use. */
  check(): Promise<string>;
  /**
   * Gives the lock back; true: no other process is there. The connection stays, so that a process that comes now waits.
   */
  leave(): Promise<boolean>;
  close(): Promise<void>;
}

/** Joins the server; undefined: it is starting or stopping, and the caller tries again. */
export async function join(port: number, password: string): Promise<Presence | undefined> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: superuser,
    password,
    database: 'postgres',
    ssl: false,
    application_name: 'outrider presence',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()));
  client.on('error', () => undefined); // followed by 'end'
  try {
    await client.connect();
    const shared = 'select pg_try_advisory_lock_shared($1) as taken';
    if (!(await queryRow(client, taken, shared, [presenceLock])).taken) {
      await client.end();
      return undefined; // the last process is stopping it
    }
    return presence(client, lost);
  } catch (error) {
    await client.end().catch(() => undefined);
    const known = fromPostgres(error);
    if (known.code === 'database_away') return undefined;
    throw known;
  }
}

function presence(client: pg.Client, lost: Promise<void>): Presence {
  return {
    lost,
    check: () => assertSuitable(client),
    async leave() {
      await client.query('select pg_advisory_unlock_shared($1)', [presenceLock]);
      const alone = 'select pg_try_advisory_lock($1) as taken';
      return (await queryRow(client, taken, alone, [presenceLock])).taken;
    },
    async close() {
      await client.end().catch(() => undefined);
    },
  };
}
