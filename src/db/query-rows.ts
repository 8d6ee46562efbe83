import { z } from 'zod';
import { DatabaseFaultError } from '../errors.ts';
import type { Queryable } from './pool.ts';

/** Catalogue queries of the migrator and the snapshot: rows parsed like any other answer. */
export async function queryRows<Row extends z.ZodType>(
  client: Queryable,
  row: Row,
  text: string,
  values: unknown[] = [],
): Promise<z.output<Row>[]> {
  const result = await client.query(text, values);
  return z.array(row).parse(result.rows);
}

export async function queryRow<Row extends z.ZodType>(
  client: Queryable,
  row: Row,
  text: string,
  values: unknown[] = [],
): Promise<z.output<Row>> {
  const [first] = await queryRows(client, row, text, values);
  if (first === undefined) throw new DatabaseFaultError('a catalogue query found nothing');
  return first;
}
