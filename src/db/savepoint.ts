import { fromPostgres, InvalidInputError } from '../errors.ts';
import type { Queryable } from './pool.ts';

/**
 * Does the work inside an open transaction. If the work throws, the transaction is as before and can go on.
 * The work must not use a savepoint of the same name.
 */
export async function inSavepoint<Result>(
  transaction: Queryable,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await run(transaction, `savepoint ${name}`);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // On a lost connection this fails too, and the server undoes everything. The caller gets the first failure.
    await transaction.query(`rollback to savepoint ${name}`).catch(() => undefined);
    throw error;
  }
  await run(transaction, `release savepoint ${name}`);
  return result;
}

async function run(transaction: Queryable, command: string): Promise<void> {
  try {
    await transaction.query(command);
  } catch (error) {
    const ours = fromPostgres(error);
    if (ours.sqlstate !== '25P01') throw ours;
    throw new InvalidInputError('there is no open transaction', {
      hint: 'begin one, on one connection and not on a pool, and commit it afterwards',
    });
  }
}
