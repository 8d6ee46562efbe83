import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { settleSnapshot } from '../../scripts/snapshot/settle.ts';
import { snapshotSchema } from '../../scripts/snapshot/snapshot.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { openClient } from '../../src/db/pool.ts';
import { schemaFolder } from '../support/database/schema-folder.ts';
import { openDatabase, openEmptyDatabase } from '../support/database/test-database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { has15 } from '../support/runner/servers.ts';
import { everyKind, laterFiles } from './snapshot-fixture.ts';

const run = promisify(execFile);
/** It comes with Debian's server, and not with the npm package. */
const psql = has15 ? '/usr/lib/postgresql/15/bin/psql' : undefined;

const undo = useUndo();

async function emptyDatabase(migrateTo?: (url: string) => Promise<void>): Promise<pg.Client> {
  const database = await openEmptyDatabase();
  undo.push(() => database.drop());
  await migrateTo?.(database.url);
  const client = await openClient({ url: database.url, applicationName: 'outrider test' });
  undo.push(() => client.end());
  return client;
}

/** A database with one of every kind of object. */
async function fullDatabase(): Promise<pg.Client> {
  const folder = await schemaFolder(everyKind);
  undo.push(() => folder.remove());
  return emptyDatabase(async (url) => {
    await migrate(url, { dir: folder.dir });
    await folder.write(laterFiles);
    await migrate(url, { dir: folder.dir });
  });
}

describe('db/schema.sql', () => {
  const file = path.resolve(import.meta.dirname, '../../db/schema.sql');

  it('is what migrations, functions and views make; if not, run npm run snapshot', async () => {
    const database = await openDatabase();
    undo.push(() => database.close());
    const client = await database.admin.connect();
    const made = await snapshotSchema(client);
    client.release();
    const settled = await settleSnapshot(await emptyDatabase(), made);
    expect(firstDifference(settled, await readFile(file, 'utf8'))).toBeUndefined();
  });

  it('makes the same schema in an empty database', async () => {
    const client = await emptyDatabase();
    const text = await readFile(file, 'utf8');
    await client.query(text);
    expect(await snapshotSchema(client)).toBe(text);
  });

  it.runIf(psql !== undefined)(
    'is loaded by psql after db/roles.sql, and db/seed.sql after it',
    async () => {
      const database = await openEmptyDatabase();
      undo.push(() => database.drop());
      const names = ['roles.sql', 'schema.sql', 'seed.sql'];
      const files = names.flatMap((name) => ['-f', path.join(path.dirname(file), name)]);
      const options = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...files, database.url];
      const { stderr } = await run(psql ?? '', options);
      expect(stderr).toBe('');
      const client = await openClient({ url: database.url, applicationName: 'outrider test' });
      undo.push(() => client.end());
      const { rows } = await client.query(
        "select count(*)::integer as channels from outrider.channels where workspace_id = 'demo'",
      );
      expect(rows).toEqual([{ channels: 6 }]);
    },
  );
});

/** Of a file of thousands of lines one is enough to see what was forgotten. */
function firstDifference(made: string, kept: string): string | undefined {
  const keptLines = kept.split('\n');
  const madeLines = made.split('\n');
  const at = madeLines.findIndex((line, index) => line !== keptLines[index]);
  if (at === -1 && madeLines.length === keptLines.length) return undefined;
  return `line ${at + 1}: made ${madeLines[at]} | kept ${keptLines[at]}`;
}

describe('a snapshot', () => {
  it('of every kind of object is the same text on every version', async () => {
    const text = await settleSnapshot(
      await emptyDatabase(),
      await snapshotSchema(await fullDatabase()),
    );
    await expect(text).toMatchFileSnapshot('./snapshot-fixture.sql');
  });

  it('makes the same schema in an empty database', async () => {
    const text = await settleSnapshot(
      await emptyDatabase(),
      await snapshotSchema(await fullDatabase()),
    );
    const client = await emptyDatabase();
    await client.query(text);
    expect(await snapshotSchema(client)).toBe(text);
  });

  it('leaves out the partitions that are named for a date', async () => {
    const text = await snapshotSchema(await fullDatabase());
    expect(text).toContain('log_default');
    expect(text).not.toContain('log_20260101');
  });

  it('does not depend on the session’s settings', async () => {
    const client = await fullDatabase();
    const text = await snapshotSchema(client);
    await client.query(
      "set search_path = outrider; set intervalstyle = iso_8601; set datestyle = German; set timezone = 'Asia/Tokyo'",
    );
    expect(await snapshotSchema(client)).toBe(text);
  });

  it('is refused when it would leave something out without a word', async () => {
    const client = await fullDatabase();
    await client.query('create materialized view outrider.stale as select 1 as one');
    await expect(snapshotSchema(client)).rejects.toThrow(
      /cannot print: outrider\.stale of another owner, relation outrider\.stale/,
    );
  });
});
