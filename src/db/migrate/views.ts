import { z } from 'zod';
import type { Queryable } from '../pool.ts';
import { queryRows } from '../query-rows.ts';
import { applyInAnyOrder } from './any-order.ts';
import { fileFault, hasState, refusal } from './faults.ts';
import type { SqlFile } from './files.ts';
import { appliedViews, forgetView, recordView } from './ledger.ts';

export interface ViewChanges {
  readonly changed: readonly string[];
  readonly dropped: readonly string[];
}

/**
 * Makes the views as their files say. PostgreSQL replaces a view only if its columns stay; if those of one changed, all views
 * are dropped and made again, because others may use it.
 */
export async function applyViews(
  client: Queryable,
  files: readonly SqlFile[],
): Promise<ViewChanges> {
  const applied = await appliedViews(client);
  const names = new Set(files.map((file) => file.name));
  const gone = [...applied.keys()].filter((name) => !names.has(name));
  const present = await existing(
    client,
    files.map((file) => file.name),
  );
  const changed = files.filter(
    (file) => applied.get(file.name) !== file.checksum || !present.includes(file.name),
  );
  try {
    await client.query('savepoint views');
    await applyInAnyOrder(client, changed, (file) => applyView(client, file));
  } catch (error) {
    if (!(error instanceof ColumnsChanged)) throw error;
    await client.query('rollback to savepoint views');
    await dropViews(client, [...names, ...gone]).catch((fault: unknown) => {
      throw fileFault(error.file, fault);
    });
    await applyInAnyOrder(client, files, (file) => applyView(client, file));
  }
  for (const name of gone) {
    await client.query(`drop view if exists outrider.${quoted(name)}`);
    await forgetView(client, name);
  }
  return { changed: changed.map((file) => file.name), dropped: gone };
}

/** Drops those of the named views that exist; in one statement, because they may use each other. */
export async function dropViews(client: Queryable, names: readonly string[]): Promise<void> {
  const present = await existing(client, names);
  if (present.length === 0) return;
  await client.query(`drop view ${present.map((name) => `outrider.${quoted(name)}`).join(', ')}`);
}

/** PostgreSQL on a view that would lose columns, or get others in their place. */
const invalidTableDefinition = '42P16';

class ColumnsChanged extends Error {
  readonly file: SqlFile;
  constructor(file: SqlFile) {
    super(file.path);
    this.file = file;
  }
}

async function applyView(client: Queryable, file: SqlFile): Promise<void> {
  try {
    await client.query(file.text);
  } catch (error) {
    if (hasState(error, invalidTableDefinition)) throw new ColumnsChanged(file);
    throw error;
  }
  if ((await existing(client, [file.name])).length === 0) {
    throw refusal(
      `${file.path} does not create the view outrider.${file.name}`,
      'name the file after the view that it creates',
    );
  }
  await recordView(client, file);
}

async function existing(client: Queryable, names: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    client,
    z.object({ name: z.string() }),
    `select relname::text as name from pg_catalog.pg_class
     where relnamespace = 'outrider'::regnamespace and relkind = 'v' and relname = any ($1::text[])`,
    [names],
  );
  return rows.map((row) => row.name);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
