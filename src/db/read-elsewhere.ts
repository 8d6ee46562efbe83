// Reads rows of a PostgreSQL that is not ours, over a connection of its own that is closed afterwards, in a transaction that
// changes nothing.

import { z } from 'zod';
import { fromPostgres } from '../errors.ts';
import { openClient } from './pool.ts';

export interface ReadingElsewhere {
  /** A postgres:// address, with its password. */
  readonly url: string;
  /** For the connection and for the statement, each. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface RowsElsewhere {
  /** In the order of the query. */
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Raises errors of ours, as fromPostgres makes them. Numbers that JavaScript would round, and times, are texts.
 */
export async function readElsewhere(
  { url, timeoutMs, signal }: ReadingElsewhere,
  text: string,
  values: readonly unknown[],
): Promise<RowsElsewhere> {
  const client = await openClient({
    url,
    applicationName: 'outrider pull',
    connectTimeoutMs: timeoutMs,
    statementTimeoutMs: timeoutMs,
    lockTimeoutMs: timeoutMs,
    signal,
  });
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    // With values it is one statement: a query that holds a second one is refused.
    const answer = await client.query({ text, values: [...values] });
    return {
      columns: answer.fields.map(({ name }) => name),
      rows: z.array(z.record(z.string(), z.unknown())).parse(answer.rows),
    };
  } catch (error) {
    throw fromPostgres(error);
  } finally {
    // Ends the transaction, too: nothing was written.
    await client.end().catch(() => undefined);
  }
}
