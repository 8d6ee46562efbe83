import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { DatabaseAwayError } from '../../src/errors.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

beforeAll(async () => {
  await database.admin.query('create table notes (words text not null)');
});

beforeEach(() => database.admin.query('truncate notes'));

const patient = { idleMs: 60_000 };

const write = (client: Queryable, words: string | null) =>
  client.query('insert into notes values ($1)', [words]);

async function notes(): Promise<string[]> {
  const Note = z.object({ words: z.string() });
  const rows = await queryRows(database.admin, Note, 'select words from notes order by words');
  return rows.map(({ words }) => words);
}

async function backendOf(client: Queryable): Promise<number> {
  const Backend = z.object({ pid: z.number() });
  const [row] = await queryRows(client, Backend, 'select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}

async function isGone(pid: number): Promise<boolean> {
  const found = await database.admin.query('select from pg_stat_activity where pid = $1', [pid]);
  return found.rows.length === 0;
}

describe('a transaction', () => {
  it('is committed with the answer of its work', async () => {
    const work = async (client: Queryable) => {
      await write(client, 'a');
      expect(await notes()).toEqual([]);
      await write(client, 'b');
      return 7;
    };
    expect(await inTransaction(database.admin, patient, work)).toBe(7);
    expect(await notes()).toEqual(['a', 'b']);
  });

  it('has not happened when its work throws, and its connection is used again', async () => {
    const reason = new Error('changed my mind');
    const pids: number[] = [];
    const work = async (client: Queryable) => {
      pids.push(await backendOf(client));
      await write(client, 'a');
      throw reason;
    };
    await expect(inTransaction(database.admin, patient, work)).rejects.toBe(reason);
    expect(await notes()).toEqual([]);
    await inTransaction(database.admin, patient, async (client) => {
      pids.push(await backendOf(client));
    });
    expect(new Set(pids).size).toBe(1);
  });

  it('has not happened when a statement fails', async () => {
    const work = async (client: Queryable) => {
      await write(client, 'a');
      await write(client, null);
    };
    await expect(inTransaction(database.admin, patient, work)).rejects.toThrow('null value');
    expect(await notes()).toEqual([]);
  });

  it('survives the loss of its connection, which is not used again', async () => {
    const lost = inTransaction(database.admin, patient, async (client) => {
      await write(client, 'a');
      const pid = await backendOf(client);
      await database.admin.query('select pg_terminate_backend($1)', [pid]);
      await expect.poll(() => isGone(pid)).toBe(true);
    });
    await expect(lost).rejects.toThrow(DatabaseAwayError);
    expect(await notes()).toEqual([]);
    await inTransaction(database.admin, patient, (client) => write(client, 'b'));
    expect(await notes()).toEqual(['b']);
  });

  it('is undone by the server when nothing is heard of it for too long', async () => {
    const silent = inTransaction(database.admin, patient, async (client) => {
      const pid = await backendOf(client);
      await write(client, 'a');
      // The limit is the session's own; lowered only now, so that a slow machine does not meet it too early.
      await client.query("set idle_in_transaction_session_timeout = '20ms'");
      await expect.poll(() => isGone(pid), { timeout: 30_000 }).toBe(true);
    });
    await expect(silent).rejects.toThrow(DatabaseAwayError);
    expect(await notes()).toEqual([]);
  });

  it('limits its own silence, and that of nobody after it', async () => {
    const Limit = z.object({ limit: z.string() });
    const asked = "select current_setting('idle_in_transaction_session_timeout') as limit";
    const within = await inTransaction(database.admin, { idleMs: 12_345 }, (client) =>
      queryRows(client, Limit, asked),
    );
    expect(within).toEqual([{ limit: '12345ms' }]);
    expect(await queryRows(database.admin, Limit, asked)).toEqual([{ limit: '0' }]);
  });

  it('says that the database is away when there is no connection to be had', async () => {
    const away = (): Promise<never> => Promise.reject(new Error('timeout expired'));
    const begun = inTransaction({ connect: away, query: away }, patient, async () => 1);
    await expect(begun).rejects.toThrow(DatabaseAwayError);
  });
});
