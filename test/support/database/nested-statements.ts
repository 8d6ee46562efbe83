// Counts the statements that PostgreSQL runs inside a call: in functions, triggers and foreign keys.

import { z } from 'zod';
import { queryRow } from '../../../src/db/query-rows.ts';
import type { Session } from './sessions.ts';

const Count = z.object({ calls: z.string() });

/** The session must be a superuser's. Only its statements are tracked in the database. */
export async function nestedStatements(
  { client }: Session,
  work: () => Promise<unknown>,
): Promise<number> {
  await client.query('create extension if not exists pg_stat_statements');
  await client.query("set local pg_stat_statements.track = 'all'");
  await client.query('select pg_stat_statements_reset()');
  await work();
  await client.query("set local pg_stat_statements.track = 'none'");
  const { calls } = await queryRow(
    client,
    Count,
    `select coalesce(sum(s.calls), 0)::text as calls from pg_stat_statements s
     join pg_database d on d.oid = s.dbid
     where d.datname = current_database() and not s.toplevel`,
  );
  return Number(calls);
}
