import { fromPostgres, InvalidInputError } from '../errors.ts';
import type { Queryable } from './pool.ts';

/**
 * Does the work inside an open transaction so that, if it throws, the transaction is as before and can go on.
 * The name is not to be used by the work itself.
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
    // On a lost connection this fails too, and the server undoes everything; the first failure is the one to tell.
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
