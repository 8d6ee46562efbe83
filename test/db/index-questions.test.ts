import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { populate, present } from '../support/database/database-in-use.ts';
import { after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  bind,
  type DocumentedScan,
  documentedQueries,
} from '../support/queries/documented-queries.ts';

const database = await useDatabase();

/** Partitions and their indexes go by the name of what they are a part of. */
let parents: Map<string, string>;

beforeAll(async () => {
  await populate(database);
  const rows = await queryRows(
    database.admin,
    z.object({ part: z.string(), whole: z.string() }),
    `select p.relname as part, w.relname as whole
     from pg_inherits i join pg_class p on p.oid = i.inhrelid join pg_class w on w.oid = i.inhparent`,
  );
  parents = new Map(rows.map((row) => [row.part, row.whole]));
}, 120_000);

function hashed(algorithm: 'md5' | 'sha256', text: string): string {
  return createHash(algorithm).update(text).digest('hex');
}

const ago = (seconds: number): string => after(-seconds, present);

const values = {
  workspace_id: 'w3',
  channel_id: 'c7',
  message_id: hashed('md5', 'w3123'),
  content_hash: hashed('sha256', 'w3123'),
  source_ref: 'post-w3-123',
  delivery_id: hashed('md5', 'w3/123/7'),
  delivery_ids: ['w3/7/20', 'w3/12/21', 'w3/123/7'].map((place) => hashed('md5', place)),
  secret_hash: hashed('sha256', 'w3webhook_push'),
  payload_hash: hashed('md5', '77'),
  now: present,
  long_ago: ago(12 * 3600),
  since: ago(24 * 3600),
  until: ago(23 * 3600),
  window_start: ago(7 * 86_400),
  retention_start: ago(8.5 * 86_400),
  last_month: ago(30 * 86_400),
  last_hour: ago(3600),
  aggregate_id: hashed('md5', '42'),
};

interface Node {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Index Name'?: string | undefined;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number | undefined;
  Plans?: Node[] | undefined;
}

const Node: z.ZodType<Node> = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  Plans: z.array(z.lazy(() => Node)).optional(),
});

interface Scan {
  /** undefined: the table is read from end to end. */
  readonly index: string | undefined;
  readonly table: string;
  readonly rows: number;
}

function isOf(line: DocumentedScan, scan: Scan): boolean {
  return line.table === scan.table && line.indexes.includes(scan.index ?? '');
}

function wholeOf(name: string): string {
  return parents.get(name) ?? name;
}

/** The scans below a node; a bitmap's index stands for the table that it belongs to. */
function scansOf(node: Node, heap?: string): Scan[] {
  const table = node['Relation Name'] ?? heap;
  const below = (node.Plans ?? []).flatMap((each) => scansOf(each, table));
  if (!node['Node Type'].endsWith('Scan') || node['Node Type'] === 'Bitmap Heap Scan') return below;
  if (table === undefined) return below;
  const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const index = node['Index Name'] === undefined ? undefined : wholeOf(node['Index Name']);
  return [...below, { index, table: wholeOf(table), rows: Math.round(rows) }];
}

/** By index and table; an empty partition that is read whole does not count. */
async function explain(sql: string): Promise<Scan[]> {
  const { text, values: bound } = bind(sql, values);
  const explained = await queryRow(
    database.admin,
    z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: Node })]) }),
    `explain (analyze, timing off, format json) ${text}`,
    bound,
  );
  const scans = scansOf(explained['QUERY PLAN'][0].Plan);
  const grouped = Map.groupBy(
    scans.filter((scan) => scan.index !== undefined || scan.rows > 0),
    (scan) => `${scan.index ?? 'nothing'} on ${scan.table}`,
  );
  return [...grouped.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, rows: others.reduce((sum, each) => sum + each.rows, first.rows) }],
  );
}

describe('the plan is as documented, on a filled database:', () => {
  it.each(documentedQueries())('$question', async ({ sql, plan }) => {
    const scans = await explain(sql);
    const unforeseen = scans.filter((scan) => !plan.some((line) => isOf(line, scan)));
    expect(unforeseen).toEqual([]);
    const unlike = plan.filter((line) => {
      const found = scans.find((scan) => isOf(line, scan));
      return found === undefined || found.rows > line.rows;
    });
    expect({ unlike, scans }).toEqual({ unlike: [], scans });
  });

  it('no index is without a question', async () => {
    const asked = documentedQueries().flatMap(({ plan }) => plan.flatMap((line) => line.indexes));
    const found = await queryRows(
      database.admin,
      z.object({ name: z.string() }),
      `select c.relname as name
       from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relnamespace = 'outrider'::regnamespace and not i.indisprimary and not c.relispartition`,
    );
    expect(found.map((index) => index.name).filter((name) => !asked.includes(name))).toEqual([]);
  });
});
