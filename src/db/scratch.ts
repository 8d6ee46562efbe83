// A database for one piece of work, beside the real one: made, migrated, and dropped when the work has ended, however it
// ends. A process that is killed leaves its database behind; the next one on the same server finds it and drops it.
//
// Its name says whose it is: outrider_scratch_<oid of the real database>_<random>. Its maker holds an advisory lock of
// that name in the real database. The lock ends with the maker's session, so a scratch database whose lock is free
// has no maker any more.

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fromPostgres, NotAllowedError } from '../errors.ts';
import { hasState } from './migrate/faults.ts';
import { migrate } from './migrate/migrate.ts';
import { inRole, schemaDir } from './open.ts';
import { openClient, placeOf, type Queryable } from './pool.ts';
import { queryRow, queryRows } from './query-rows.ts';

export interface Scratch {
  readonly name: string;
  /** Connections, in the role in which Outrider's processes work. */
  readonly clients: readonly [Queryable, ...Queryable[]];
  /** Removes the dead rows that claims leave in the queue: they come faster than autovacuum removes them. */
  readonly tidy: () => Promise<void>;
}

export interface ScratchOptions {
  /** The real database, as an administrator. */
  readonly url: string;
  /** Breaks off what is under way. The database is dropped all the same. */
  readonly signal?: AbortSignal | undefined;
}

/** Does a piece of work in a scratch database, and drops it. */
export async function inScratch<Result>(
  { url, signal }: ScratchOptions,
  work: (scratch: Scratch) => Promise<Result>,
): Promise<Result> {
  const maker = await openClient({
    url,
    applicationName: 'outrider scratch',
    statementTimeoutMs: 0,
  });
  let name: string | undefined;
  try {
    const prefix = await requireMaker(maker, url);
    await dropLeftovers(maker, prefix);
    signal?.throwIfAborted();
    name = await create(maker, prefix);
    return await workIn(addressOf(url, name), name, signal, work);
  } catch (error) {
    signal?.throwIfAborted(); // then the error is only that of a connection that was broken off
    throw error;
  } finally {
    if (name !== undefined) await drop(maker, name);
    await maker.end();
  }
}

async function workIn<Result>(
  url: string,
  name: string,
  signal: AbortSignal | undefined,
  work: (scratch: Scratch) => Promise<Result>,
): Promise<Result> {
  await migrate(url, { dir: schemaDir, signal });
  const open = () =>
    openClient({
      url: inRole(url, 'outrider_service'),
      applicationName: 'outrider scratch',
      statementTimeoutMs: 0,
      signal,
    });
  const clients = await Promise.all([open(), open(), open(), open()]);
  const keeper = await openClient({ url, applicationName: 'outrider scratch', signal });
  const tidy = async (): Promise<void> => {
    await keeper.query('vacuum outrider.delivery_queue, outrider.leases');
  };
  try {
    return await work({ name, clients, tidy });
  } finally {
    if (signal?.aborted !== true) await Promise.all([...clients, keeper].map((each) => each.end()));
  }
}

const Maker = z.object({ login: z.string(), may: z.boolean(), oid: z.string() });

/** Checks that the login may create databases. Returns how the names of this database's scratch databases begin. */
async function requireMaker(maker: Queryable, url: string): Promise<string> {
  const { login, may, oid } = await queryRow(
    maker,
    Maker,
    `select current_user::text as login, (r.rolcreatedb or r.rolsuper) as may, d.oid::text as oid
     from pg_catalog.pg_roles r, pg_catalog.pg_database d
     where r.rolname = current_user and d.datname = current_database()`,
  );
  if (!may) {
    throw new NotAllowedError(
      `the login ${login} may not create databases at ${placeOf(url)}, and this works in a scratch database of its own`,
      {
        hint: `let an administrator run: alter role "${login}" createdb; or set DATABASE_URL to a copy on a server where it may, or leave it out for the embedded server`,
      },
    );
  }
  return `outrider_scratch_${oid}_`;
}

async function create(maker: Queryable, prefix: string): Promise<string> {
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  await maker.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
  try {
    await maker.query(`create database ${name} template template0 encoding 'UTF8'`);
  } catch (error) {
    throw fromPostgres(error);
  }
  // What it holds is thrown away: nobody waits for the disk.
  await maker.query(`alter database ${name} set synchronous_commit = off`);
  await maker.query(`alter database ${name} set jit = off`);
  return name;
}

async function dropLeftovers(maker: Queryable, prefix: string): Promise<void> {
  const left = await queryRows(
    maker,
    z.object({ name: z.string(), free: z.boolean() }),
    `select d.datname::text as name, pg_try_advisory_lock(hashtextextended(d.datname::text, 0)) as free
     from pg_catalog.pg_database d where starts_with(d.datname, $1)`,
    [prefix],
  );
  for (const { name, free } of left) {
    if (!free) continue;
    await drop(maker, name);
    await maker.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
  }
}

const isGone = '3D000';

async function drop(maker: Queryable, name: string): Promise<void> {
  try {
    await maker.query(`drop database ${name} with (force)`);
  } catch (error) {
    if (!hasState(error, isGone)) throw fromPostgres(error);
  }
}

function addressOf(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}
