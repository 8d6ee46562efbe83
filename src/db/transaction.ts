// A transaction over several calls, on one connection of a pool.

import { DatabaseAwayError, fromPostgres } from '../errors.ts';
import type { Queryable } from './pool.ts';

/** A pool that lends connections out. */
export interface ConnectionSource extends Queryable {
  connect(): Promise<LentConnection>;
}

interface LentConnection extends Queryable {
  /** Gives it back; one that is broken is not used again. */
  release(isBroken: boolean): void;
}

export interface TransactionOptions {
  /** How long the transaction may wait for us. Then the server undoes it, so a process that has died holds nothing. */
  readonly idleMs: number;
}

/**
 * Does the work between begin and commit; if it throws, nothing has happened. When the connection is lost
 * at the commit, nobody knows whether the work was committed: the caller has to be ready for both.
 */
export async function inTransaction<Result>(
  pool: ConnectionSource,
  { idleMs }: TransactionOptions,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const connection = await inOurErrors(pool.connect());
  try {
    const limit = `set local idle_in_transaction_session_timeout = ${Math.ceil(idleMs)}`;
    await inOurErrors(Promise.all([connection.query('begin'), connection.query(limit)]));
    const result = await work(connection);
    await inOurErrors(connection.query('commit'));
    connection.release(false);
    return result;
  } catch (error) {
    connection.release(!(await isUndone(connection, error)));
    throw error;
  }
}

async function inOurErrors<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    throw fromPostgres(error);
  }
}

// No rollback is sent on a lost connection: the server undoes the transaction when it notices the loss.
async function isUndone(connection: Queryable, reason: unknown): Promise<boolean> {
  if (reason instanceof DatabaseAwayError) return false;
  try {
    await connection.query('rollback');
    return true;
  } catch {
    return false;
  }
}
