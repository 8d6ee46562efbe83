// How much a statement reads, by PostgreSQL's own counters. No clock is involved.

import type pg from 'pg';
import { z } from 'zod';
import { queryRow, queryRows } from '../../../src/db/query-rows.ts';

export interface Reading {
  /** Rows of the answer. */
  readonly rows: number;
  /** Pages that were looked at, in memory or on disk. */
  readonly pages: number;
  /** Rows of Outrider's tables that scans read, with an index or without. */
  readonly passed: number;
  /** Outrider's tables that were read from end to end. */
  readonly readWhole: string[];
}

const Explained = z.object({
  'QUERY PLAN': z.tuple([
    z.object({
      Plan: z.object({
        'Actual Rows': z.number(),
        'Shared Hit Blocks': z.number(),
        'Shared Read Blocks': z.number(),
      }),
    }),
  ]),
});

const Scan = z.object({ table: z.string(), whole: z.number(), passed: z.number() });

/** Runs a statement in its own transaction and says what it and the functions that it called have read. */
export async function meter(
  client: pg.PoolClient,
  text: string,
  values: unknown[],
  end: 'commit' | 'rollback' = 'commit',
): Promise<Reading> {
  await client.query('begin');
  const before = await scans(client);
  const explained = await queryRow(
    client,
    Explained,
    `explain (analyze, buffers, timing off, format json) ${text}`,
    values,
  );
  const after = await scans(client);
  await client.query(end);
  const plan = explained['QUERY PLAN'][0].Plan;
  const since = [...after].map(([table, scan]) => ({
    table,
    whole: scan.whole - (before.get(table)?.whole ?? 0),
    passed: scan.passed - (before.get(table)?.passed ?? 0),
  }));
  return {
    rows: plan['Actual Rows'],
    pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    passed: since.reduce((total, scan) => total + scan.passed, 0),
    readWhole: since.filter((scan) => scan.whole > 0).map((scan) => scan.table),
  };
}

/** The counters of this connection. They grow until they are added to the server's. */
async function scans(client: pg.PoolClient): Promise<Map<string, z.output<typeof Scan>>> {
  const rows = await queryRows(
    client,
    Scan,
    `select relname as table, seq_scan::int as whole,
       (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as passed
     from pg_stat_xact_user_tables where schemaname = 'outrider'`,
  );
  return new Map(rows.map((row) => [row.table, row]));
}

/** The median of each measure. */
export function usual(readings: readonly Reading[]): Reading {
  return pick(readings, (values) => values[Math.floor(values.length / 2)]);
}

/** The least of each measure: others on the server can only add to what a statement reads. */
export function least(readings: readonly Reading[]): Reading {
  return pick(readings, (values) => values[0]);
}

function pick(
  readings: readonly Reading[],
  choose: (ascending: readonly number[]) => number | undefined,
): Reading {
  const of = (measure: 'rows' | 'pages' | 'passed'): number =>
    choose(readings.map((each) => each[measure]).toSorted((a, b) => a - b)) ?? 0;
  return {
    rows: of('rows'),
    pages: of('pages'),
    passed: of('passed'),
    readWhole: [...new Set(readings.flatMap((each) => each.readWhole))],
  };
}
