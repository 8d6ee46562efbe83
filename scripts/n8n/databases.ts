// What n8n needs in PostgreSQL: a database of its own, and a login that may call Outrider's functions.

import { z } from 'zod';
import { openClient, type Queryable } from '../../src/db/pool.ts';
import { queryRow } from '../../src/db/query-rows.ts';

/** The three lines of docs/n8n.md. The login may call what Outrider's own processes may, and read or write no table. */
export async function addN8nLogin(
  admin: Queryable,
  login: string,
  password: string,
): Promise<void> {
  const { rows } = await admin.query('select from pg_roles where rolname = $1', [login]);
  if (rows.length === 0) await admin.query(`create role ${login} login`);
  await admin.query(`alter role ${login} password '${password}'`);
  await admin.query(`grant outrider_service to ${login}`);
  await admin.query(`alter role ${login} set lock_timeout = '1s'`);
}

/** Makes the database unless it is there; `template` is one to copy. */
export async function ensureDatabase(
  adminUrl: string,
  name: string,
  template?: string,
): Promise<string> {
  const admin = await openClient({ url: adminUrl, applicationName: 'outrider n8n' });
  try {
    const { rows } = await admin.query('select from pg_database where datname = $1', [name]);
    const like = template === undefined ? '' : ` template ${template}`;
    if (rows.length === 0) await admin.query(`create database ${name}${like}`);
  } finally {
    await admin.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

/** As n8n keeps passwords: bcrypt. */
export async function bcryptOf(n8nUrl: string, password: string): Promise<string> {
  const client = await openClient({ url: n8nUrl, applicationName: 'outrider n8n' });
  try {
    await client.query('create extension if not exists pgcrypto');
    const Hashed = z.object({ hash: z.string() });
    const text = "select crypt($1, gen_salt('bf', 10)) as hash";
    return (await queryRow(client, Hashed, text, [password])).hash;
  } finally {
    await client.end();
  }
}
