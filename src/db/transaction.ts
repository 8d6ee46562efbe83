// A transaction over several calls, on one connection of a pool.

import { DatabaseAwayError, fromPostgres } from '../errors.ts';
import type { Queryable } from './pool.ts';

/** A pool that lends connections out. */
export interface ConnectionSource extends Queryable {
  connect(): Promise<LentConnection>;
}

interface LentConnection extends Queryable {
  /** Gives it back; true: it is not to be used again. */
  release(isBroken: boolean): void;
}

export interface TransactionOptions {
  /** How long it may wait for us; then the server undoes it, so that who has died holds nothing. */
  readonly idleMs: number;
}

/**
 * Does the work between begin and commit; if it throws, nothing has happened. When the connection is lost
 * at the commit nobody knows whether it has: the caller has to be ready for both.
 */
export async function inTransaction<Result>(
  pool: ConnectionSource,
  { idleMs }: TransactionOptions,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const connection = await asked(pool.connect());
  try {
    const limit = `set local idle_in_transaction_session_timeout = ${Math.ceil(idleMs)}`;
    await asked(Promise.all([connection.query('begin'), connection.query(limit)]));
    const result = await work(connection);
    await asked(connection.query('commit'));
    connection.release(false);
    return result;
  } catch (error) {
    connection.release(!(await isUndone(connection, error)));
    throw error;
  }
}

export interface OneGoOptions {
  /** How long a query may wait for the lock of somebody else. */
  readonly lockMs: number;
}

/**
 * A transaction of two queries that do not need one another's answers: everything is sent at once, so that it
 * takes one round trip. When a query is refused, nothing has happened; when the connection is lost, or an answer
 * cannot be read, nobody knows.
 */
export async function inOneGo<First, Second>(
  pool: ConnectionSource,
  { lockMs }: OneGoOptions,
  work: (transaction: Queryable) => readonly [Promise<First>, Promise<Second>],
): Promise<[First, Second]> {
  const connection = await asked(pool.connect());
  const begun = asked(connection.query(`begin; set local lock_timeout = ${Math.ceil(lockMs)}`));
  const [first, second] = work(connection);
  const committed = asked(connection.query('commit')); // undoes everything if one of them has failed
  const settled = await Promise.allSettled([begun, first, second, committed]);
  connection.release(settled.some(isAway));
  const [, ...results] = await Promise.all([begun, first, second, committed]);
  return [results[0], results[1]];
}

function isAway(result: PromiseSettledResult<unknown>): boolean {
  return result.status === 'rejected' && result.reason instanceof DatabaseAwayError;
}

async function asked<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    throw fromPostgres(error);
  }
}

// A lost connection is not asked: the server undoes what it carried when it notices.
async function isUndone(connection: Queryable, reason: unknown): Promise<boolean> {
  if (reason instanceof DatabaseAwayError) return false;
  try {
    await connection.query('rollback');
    return true;
  } catch {
    return false;
  }
}
