// Calls the functions of schema outrider, and parses their answers.

import type pg from 'pg';
import { z } from 'zod';
import { DatabaseFaultError, fromPostgres } from '../errors.ts';
import { exactTypes } from './exact-types.ts';
import type { Answer, Queryable } from './pool.ts';

export interface FunctionCall<Row extends z.ZodType> {
  /** The function's name in schema outrider. */
  readonly name: string;
  /** In the function's order; trailing ones with a default may be left out. */
  readonly args: readonly unknown[];
  readonly row: Row;
  /** How columns leave the driver; exactTypes when missing. */
  readonly types?: pg.CustomTypesConfig;
}

/** Calls a function and parses each row of its answer. */
export async function callFunction<Row extends z.ZodType>(
  client: Queryable,
  call: FunctionCall<Row>,
): Promise<z.output<Row>[]> {
  const result = await run(client, call);
  const parsed = z.array(call.row).safeParse(result.rows);
  if (parsed.success) return parsed.data;
  throw unknownAnswer(call.name, parsed.error);
}

/** Calls a function whose answer is exactly one row. */
export async function callForRow<Row extends z.ZodType>(
  client: Queryable,
  call: FunctionCall<Row>,
): Promise<z.output<Row>> {
  const { rows } = await run(client, call);
  if (rows.length !== 1) {
    throw new DatabaseFaultError(`outrider.${call.name} gave ${rows.length} rows instead of one`);
  }
  const parsed = call.row.safeParse(rows[0]);
  if (parsed.success) return parsed.data;
  throw unknownAnswer(call.name, parsed.error);
}

/** Calls a function whose answer is one value; `row` is that value's schema. */
export async function callForValue<Value extends z.ZodType>(
  client: Queryable,
  call: FunctionCall<Value>,
): Promise<z.output<Value>> {
  const row = await callForRow(client, { ...call, row: z.record(z.string(), z.unknown()) });
  const parsed = call.row.safeParse(row[call.name]);
  if (parsed.success) return parsed.data;
  throw unknownAnswer(call.name, parsed.error);
}

/** A json or jsonb argument. The driver would turn a plain array into a PostgreSQL array. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Production never passes the time; tests and simulations move it. It is every function's last argument. */
export function at(now: string | undefined, args: readonly unknown[]): readonly unknown[] {
  return now === undefined ? args : [...args, now];
}

async function run(client: Queryable, call: FunctionCall<z.ZodType>): Promise<Answer> {
  const { name, args } = call;
  const text = statementFor(name, args.length);
  const values = [...args];
  // Given with each call: a pool that the caller has opened may read times in its own way.
  const types = call.types ?? exactTypes;
  try {
    return await client.query({ name: `${name}/${args.length}`, text, values, types });
  } catch (error) {
    if (!isOutdatedPlan(error)) throw fromPostgres(error);
  }
  // A migration changed the function's columns under this connection's prepared statement. The server
  // refused it before it ran, so asking again, unprepared, does nothing twice.
  try {
    return await client.query({ text, values, types });
  } catch (error) {
    throw fromPostgres(error);
  }
}

const statements = new Map<string, string>();

function statementFor(name: string, count: number): string {
  const key = `${name}/${count}`;
  const known = statements.get(key);
  if (known !== undefined) return known;
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`not a function's name: ${name}`);
  const slots = Array.from({ length: count }, (_, index) => `$${index + 1}`);
  const text = `select * from outrider.${name}(${slots.join(', ')})`;
  statements.set(key, text);
  return text;
}

function isOutdatedPlan(error: unknown): boolean {
  return (
    error instanceof Error &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery' &&
    'code' in error &&
    error.code === '0A000'
  );
}

// Paths and expectations only: the values themselves may be secrets.
function unknownAnswer(name: string, error: z.ZodError): DatabaseFaultError {
  const first = error.issues[0];
  const where = first === undefined ? '' : ` at ${first.path.join('.')}: ${first.message}`;
  return new DatabaseFaultError(`outrider.${name} gave an answer of another shape${where}`, {
    hint: 'the database and this program are of different versions; run outrider migrate',
  });
}
