// Lets only one sandbox use a database. Two would claim from it, and chance would decide which of them shows a post.
// The lock belongs to a session: it ends with the process that holds it, and also when the connection is lost.

import { z } from 'zod';
import { fromPostgres, OutriderError } from '../errors.ts';
import { hasState, lockTimedOut } from './migrate/faults.ts';
import { openClient, placeOf, type Queryable } from './pool.ts';
import { queryRows } from './query-rows.ts';

const sandboxLock = 7_170_131_003;

/** Long enough for the session of a process that was killed a moment ago to end. */
const patienceMs = 3000;

const name = 'outrider up --sandbox';

/** Locks the database for the sandbox whose chats are at an address; the function that it returns unlocks it. */
export async function lockForSandbox(url: string, chats: string): Promise<() => Promise<void>> {
  const applicationName = `${name} ${chats}`;
  const client = await openClient({ url, applicationName, lockTimeoutMs: patienceMs });
  try {
    await client.query('select pg_advisory_lock($1)', [sandboxLock]);
  } catch (error) {
    const chatsOfOther = hasState(error, lockTimedOut) ? await chatsOfHolder(client) : undefined;
    await client.end();
    if (chatsOfOther === undefined) throw fromPostgres(error);
    throw new OutriderError(
      'configuration',
      `${name} uses the database at ${placeOf(url)} already${chatsOfOther}`,
      {
        hint: 'use that one or stop it; for a second one set DATABASE_URL to another database, or leave it out',
      },
    );
  }
  return () => client.end();
}

async function chatsOfHolder(client: Queryable): Promise<string> {
  const [holder] = await queryRows(
    client,
    z.object({ name: z.string() }),
    `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1
       and l.database = (select d.oid from pg_database d where d.datname = current_database())
       and (l.classid::bigint << 32) | l.objid::bigint = $1`,
    [sandboxLock],
  );
  const chats = holder?.name.slice(name.length + 1) ?? '';
  return chats === '' ? '' : `; its chats are at ${chats}/`;
}
