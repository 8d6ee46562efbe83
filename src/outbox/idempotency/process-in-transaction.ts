// The strongest form: the effect and the mark are in one PostgreSQL database, and are committed together. No crash can
// come between them.

import { checkAndMarkProcessed } from '../../db/consume.ts';
import type { Queryable } from '../../db/pool.ts';
import { inSavepoint } from '../../db/savepoint.ts';
import { StillInFlightError } from '../../errors.ts';
import { isHeldByTransaction } from './postgres.ts';
import type { EventToProcess, Processed } from './process-once.ts';
import { requireKey, requireTtl, ttlBounds } from './store.ts';

/**
 * Marks the event and runs the handler, which writes its effect through the same transaction. The caller commits, and
 * acknowledges the event after the commit. When the handler throws, its error is passed on; mark and effect are undone,
 * and the transaction can still be used. `busy`: another transaction has the event, or another process has a lease of
 * it.
 */
export async function processInTransaction(
  transaction: Queryable,
  event: Omit<EventToProcess, 'leaseMs'>,
  handler: () => unknown,
  now?: string,
): Promise<Processed> {
  const ttlMs = requireTtl(event.ttlMs ?? ttlBounds.default);
  const key = requireKey(event);
  let isMarked = false;
  try {
    return await inSavepoint(transaction, 'outrider_processing', async () => {
      if (await checkAndMarkProcessed(transaction, { ...key, ttlMs }, now)) return 'duplicate';
      isMarked = true;
      await handler();
      return 'processed';
    });
  } catch (error) {
    // After the mark, an error is the handler's, whatever its class.
    if (!isMarked && isBusy(error)) return 'busy';
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof StillInFlightError || isHeldByTransaction(error);
}
