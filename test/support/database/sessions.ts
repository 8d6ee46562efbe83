// Transactions that a test holds open side by side, to see which one waits for which.

import type pg from 'pg';
import { z } from 'zod';
import { queryRow } from '../../../src/db/query-rows.ts';

/** A connection in a transaction of its own. */
export interface Session {
  readonly client: pg.PoolClient;
  readonly pid: number;
  /** Returns when this session waits for a lock of the other one, or when `work` is done. */
  waitsFor(other: Session, work?: Promise<unknown>): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface Sessions {
  /** With `wait: false`, waiting for a lock is an error. */
  open(pool: pg.Pool, options?: { wait: boolean }): Promise<Session>;
  /** Rolls back what is still open, and gives the connections back. */
  endAll(): Promise<void>;
}

export function openSessions(): Sessions {
  const opened: Session[] = [];
  return {
    async open(pool, options = { wait: true }) {
      const session = await openSession(pool);
      opened.push(session);
      if (!options.wait) await session.client.query("set local lock_timeout = '50ms'");
      return session;
    },
    // All at once: one may be waiting for another.
    async endAll() {
      await Promise.all(
        opened.splice(0).map(async (session) => {
          await session.rollback();
          session.client.release();
        }),
      );
    },
  };
}

async function openSession(pool: pg.Pool): Promise<Session> {
  const client = await pool.connect();
  await client.query('begin');
  const { pid } = await queryRow(
    client,
    z.object({ pid: z.number() }),
    'select pg_backend_pid() as pid',
  );
  return {
    client,
    pid,
    async waitsFor(other, work) {
      let over = false;
      const end = (): void => void (over = true);
      work?.then(end, end);
      const row = z.object({ waits: z.boolean() });
      const text = 'select $1 = any (pg_blocking_pids($2)) as waits';
      while (!over && !(await queryRow(pool, row, text, [other.pid, pid])).waits);
    },
    async commit() {
      await client.query('commit');
    },
    async rollback() {
      await client.query('rollback');
    },
  };
}

/** Starts work that will wait. If it fails before anybody awaits it, the failure is not reported as unhandled. */
export function begin<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
