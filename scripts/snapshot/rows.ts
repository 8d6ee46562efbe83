// The rows that migrations bring: what Outrider knows of the platforms. All other rows are the users' data.

import { z } from 'zod';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { relations, statements } from './catalogue.ts';

const tables = ['platforms', 'platform_media'];

export async function rows(client: Queryable): Promise<string[]> {
  const columns = await queryRows(
    client,
    z.object({ table: z.string(), names: z.array(z.string()) }),
    `select c.relname as table, array_agg(quote_ident(a.attname) order by a.attnum) as names
     from ${relations} c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relname in (${tables.map((table) => `'${table}'`).join(', ')})
     group by c.relname
     order by c.relname desc`,
  );
  const found: string[] = [];
  for (const { table, names } of columns) {
    const values = names.map((name) => `quote_nullable(${name}::text)`).join(', ');
    const insert = `insert into outrider.${table} (${names.join(', ')})`;
    found.push(
      ...(await statements(
        client,
        `select '${insert}' || E'\\nvalues (' || concat_ws(', ', ${values}) || ');' as statement
         from outrider.${table} order by 1`,
      )),
    );
  }
  return found.map(escaped);
}

/** Literals with more than printable ASCII as escapes: a reader sees what is in them, and no editor changes it. */
function escaped(statement: string): string {
  return statement.replaceAll(/'(?:[^']|'')*'/g, (literal) =>
    /[^ -~]/.test(literal)
      ? `e${literal.replaceAll('\\', '\\\\').replaceAll(/[^ -~]/g, unicodeEscape)}`
      : literal,
  );
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
