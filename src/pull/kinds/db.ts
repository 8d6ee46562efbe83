// Rows of a PostgreSQL. The source's query says which rows there are; the key says their order and where to go on.

import { z } from 'zod';
import { readElsewhere } from '../../db/read-elsewhere.ts';
import { OutriderError } from '../../errors.ts';
import { FieldName } from '../field-name.ts';
import { SecretRef } from '../http-auth.ts';
import { type MappedValues, mappedItems } from '../mapped-item.ts';
import { queryFault } from '../query-fault.ts';
import type { Cursor, Look, Source, SourceKind, SourceMeans } from '../source.ts';
import { SourceError } from '../source-error.ts';

const column = z.string().min(1).max(63);

const keys = z.strictObject({
  secret_ref: SecretRef.describe(
    'Where the address of the database is, with its password: env:NAME or file:PATH. The secret is a postgresql:// address.',
  ),
  query: z
    .string()
    .min(1)
    .max(20_000)
    .superRefine((query, context) => {
      const message = queryFault(query);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('A select without order, limit and parameters. Its columns become the post.'),
  key: z
    .array(column)
    .min(1)
    .max(5)
    .describe(
      'Columns that are never null, identify a row and grow: rows are read in their order.',
    ),
  map: z
    .strictObject({
      item_ref: column,
      title: column,
      text: column,
      html: column,
      url: column,
      media: column,
      tags: column,
      date: column,
      fields: z.record(FieldName, column).describe('Names of fields with their columns.'),
    })
    .partial()
    .default({})
    .describe(
      'Which column becomes what. Without an entry, a column of the same name does; without fields, every other column is a field.',
    ),
  timeout_seconds: z
    .number()
    .min(0.1)
    .max(300)
    .default(10)
    .describe('How long the connection and the query may take, each. Default: 10.'),
});

type Keys = z.output<typeof keys>;

export const db: SourceKind<typeof keys> = {
  name: 'db',
  keys,
  open(config, means): Source {
    return {
      look: (look) => lookInto(config, means, look),
      close: async () => undefined,
    };
  },
};

/** The columns that we add: the values of the key as texts, which loses nothing of a number or a time. */
const keyTexts = 'outrider_key';
/** And whether some row has a null in its key. It is asked only where there are rows. */
const hasNull = 'outrider_null';

async function lookInto(config: Keys, means: SourceMeans, look: Look) {
  const { cursor, limit, signal } = look;
  const last = lastKey(cursor, config);
  const url = await addressFrom(config, means);
  await look.beforeCall();
  if (signal.aborted) throw new SourceError('the look was stopped');
  // One more than wanted tells whether there are more.
  const values = [...last, limit + 1];
  const statement = statementFor(config, last.length > 0);
  const { columns, rows } = await readElsewhere(
    { url, timeoutMs: config.timeout_seconds * 1000, signal },
    statement,
    values,
  ).catch((error: unknown) => {
    if (signal.aborted) throw new SourceError('the look was stopped');
    throw sourceErrorOf(error);
  });
  requireKeys(rows, config);
  const chunk = rows.slice(0, limit);
  const others = columns.filter((name) => name !== keyTexts && name !== hasNull);
  requireColumns(config, others);
  const items = await mappedItems(
    chunk.map((row) => valuesOf(row, config, others)),
    { placeOf: (key, index) => `column ${columnOf(config, key)} of row ${index + 1}`, signal },
  );
  const lastRow = chunk.at(-1);
  return {
    items,
    cursor: lastRow === undefined ? cursor : { key: keyOf(lastRow), columns: config.key },
    hasMore: rows.length > limit,
  };
}

function statementFor({ query, key }: Keys, goesOn: boolean): string {
  const names = key.map((name) => `source.${quoted(name)}`);
  const texts = names.map((name) => `${name}::text`).join(', ');
  const noKey = key.map((name) => `other.${quoted(name)} is null`).join(' or ');
  const asked = query.trim().replace(/;+\s*$/, '');
  const slots = names.map((_, index) => `$${index + 1}`);
  const isLater = goesOn ? ` where (${names.join(', ')}) > (${slots.join(', ')})` : '';
  return [
    `select source.*, array[${texts}] as ${keyTexts},`,
    'exists (select from (',
    asked,
    `) as other where ${noKey}) as ${hasNull}`,
    'from (',
    asked,
    `) as source${isLater}`,
    `order by ${names.join(', ')} limit $${goesOn ? slots.length + 1 : 1}`,
  ].join('\n');
}

/** The next query begins after the last key, so further rows with the same key would never be read, nor rows without one. */
function requireKeys(
  rows: readonly Readonly<Record<string, unknown>>[],
  { key }: Pick<Keys, 'key'>,
): void {
  const named = key.join(', ');
  if (rows.some((row) => row[hasNull] === true)) {
    throw new SourceError(`a row has null in its key (${named})`, {
      hint: 'leave such rows out in query, or choose columns that are never null',
    });
  }
  const texts = rows.map((row) => JSON.stringify(row[keyTexts]));
  if (texts.every((text, index) => text !== texts[index - 1])) return;
  throw new SourceError(`the key is not unique: several rows have the same ${named}`, {
    hint: 'add a column to key that identifies a row',
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The last row that was handed out. A cursor of other columns begins anew; the database takes each row once. */
function lastKey({ key, columns }: Cursor, config: Keys): readonly string[] {
  const isSame = JSON.stringify(columns) === JSON.stringify(config.key);
  const parsed = z.array(z.string()).length(config.key.length).safeParse(key);
  return isSame && parsed.success ? parsed.data : [];
}

function keyOf(row: Readonly<Record<string, unknown>>): readonly string[] {
  return z.array(z.string()).parse(row[keyTexts]);
}

const parts = ['item_ref', 'title', 'text', 'html', 'url', 'media', 'tags', 'date'] as const;

function columnOf({ map }: Keys, key: string): string {
  const part = parts.find((each) => each === key);
  return (part === undefined ? map.fields?.[key] : map[part]) ?? key;
}

function requireColumns(config: Keys, columns: readonly string[]): void {
  const { fields = {}, ...mapped } = config.map;
  const named = [...Object.values(mapped), ...Object.values(fields)];
  const missing = named.find((name) => name !== undefined && !columns.includes(name));
  if (missing === undefined) return;
  throw new SourceError(`the query has no column ${missing}, which map names`, {
    hint: `its columns are ${columns.join(', ')}`,
  });
}

function valuesOf(
  row: Readonly<Record<string, unknown>>,
  config: Keys,
  columns: readonly string[],
): MappedValues {
  const named = Object.fromEntries(parts.map((part) => [part, row[columnOf(config, part)]]));
  const { fields } = config.map;
  return {
    ...named,
    item_ref: named['item_ref'] ?? keyOf(row).map(encodeURIComponent).join('/'),
    fields:
      fields === undefined
        ? otherColumns(row, config, columns)
        : Object.fromEntries(Object.entries(fields).map(([name, from]) => [name, row[from]])),
  };
}

/** Columns that become nothing else. One that holds no single value is left out: nobody has asked for it. */
function otherColumns(
  row: Readonly<Record<string, unknown>>,
  config: Keys,
  columns: readonly string[],
): Record<string, unknown> {
  const used = new Set(parts.map((part) => columnOf(config, part)));
  return Object.fromEntries(
    columns
      .filter((name) => !used.has(name) && typeof row[name] !== 'object')
      .map((name) => [name, row[name]]),
  );
}

async function addressFrom({ secret_ref: ref }: Keys, { secrets }: SourceMeans): Promise<string> {
  const read = await secrets.ofReference(ref, 'the secret_ref of the source');
  if (!read.ok) throw new SourceError(`the address of the database cannot be read: ${read.reason}`);
  if (/^postgres(ql)?:\/\//.test(read.secret) && URL.canParse(read.secret)) return read.secret;
  throw new SourceError('the secret of the source is not a postgresql:// address', {
    hint: 'postgresql://<user>:<password>@host:5432/database',
  });
}

/** The next step, by the SQLSTATE. Hints of the pool name DATABASE_URL, which is another database. */
const hints: Readonly<Record<string, string>> = {
  '28P01': 'correct the user and the password in the secret of the source',
  '28000': 'the secret of the source says the user: correct it there, or let the server admit it',
  '3D000': 'the secret of the source says the database: correct it there',
  '42P01': 'correct query of the source',
  '42601': 'query is one select, without order, limit and semicolon',
  '42702': 'give each column of query a name of its own',
  '42703': 'correct query, key or map of the source',
  '42501': 'grant select to the user of the source',
  '25006': 'a source only reads: its query must not change anything',
  '57014': 'an index on the columns of key helps; timeout_seconds says how long is waited',
};

function sourceErrorOf(error: unknown): SourceError {
  if (!(error instanceof OutriderError)) throw error;
  const hint = hints[error.sqlstate ?? ''];
  const message =
    error.sqlstate === '25006'
      ? 'the query of the source would change the database'
      : error.message;
  return new SourceError(message, hint === undefined ? {} : { hint });
}
