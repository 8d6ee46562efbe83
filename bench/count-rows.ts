import { openClient } from '../src/db/pool.ts';

/** How many rows a table, or a part of one, has now. */
export async function countRows(databaseUrl: string, from: string): Promise<number> {
  const client = await openClient({
    url: databaseUrl,
    applicationName: 'bench',
    statementTimeoutMs: 0,
  });
  try {
    const sql = `select count(*)::int as count from ${from}`;
    const { rows } = await client.query<{ count: number }>(sql);
    return rows[0]?.count ?? Number.NaN;
  } finally {
    await client.end();
  }
}
