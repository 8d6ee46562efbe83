import { z } from 'zod';
import { OutriderError } from '../../errors.ts';
import type { Queryable } from '../pool.ts';
import { queryRow } from '../query-rows.ts';

const facts = z.object({ number: z.coerce.number(), version: z.string(), encoding: z.string() });

/** Refuses a server or database that cannot hold Outrider's data faithfully. Returns its version. */
export async function assertSuitable(client: Queryable): Promise<string> {
  const found = await queryRow(
    client,
    facts,
    `select current_setting('server_version_num') as number,
            current_setting('server_version') as version,
            current_setting('server_encoding') as encoding`,
  );
  if (found.number < 150000) {
    throw new OutriderError('database_unsuitable', `PostgreSQL ${found.version} is too old`, {
      hint: 'Outrider needs PostgreSQL 15 or newer',
    });
  }
  if (found.encoding !== 'UTF8') {
    throw new OutriderError(
      'database_unsuitable',
      `the database's encoding is ${found.encoding}: texts would be cut and compared by bytes`,
      {
        hint: "create the database with encoding 'UTF8' (template0), or initdb with --encoding=UTF8",
      },
    );
  }
  return found.version;
}
