// The questions of docs/queries.md, as the page states them.

import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One line of a plan: the indexes by which a table may be read, and how many rows at most. */
export interface DocumentedScan {
  readonly indexes: readonly string[];
  readonly table: string;
  readonly rows: number;
}

export interface DocumentedQuery {
  /** The heading above the question. */
  readonly section: string;
  readonly question: string;
  /** With named parameters, such as :workspace_id. */
  readonly sql: string;
  readonly plan: readonly DocumentedScan[];
}

const page = path.resolve(import.meta.dirname, '../../../docs/queries.md');

export function documentedQueries(): DocumentedQuery[] {
  const text = readFileSync(page, 'utf8');
  return text.split(/^## /m).flatMap((section) => {
    const [title = '', ...questions] = section.split(/^### /m);
    return questions.map((each) => parse(firstLine(title), each));
  });
}

function parse(section: string, text: string): DocumentedQuery {
  const question = firstLine(text);
  const sql = /```sql\n(.*?)```/s.exec(text)?.[1];
  const plan = /```plan\n(.*?)```/s.exec(text)?.[1];
  if (sql === undefined || plan === undefined) throw new Error(`no query or plan: ${question}`);
  return { section, question, sql, plan: plan.trim().split('\n').map(parseScan) };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function parseScan(line: string): DocumentedScan {
  const [, indexes, table, rows] = /^(.+) on (\w+), ([\d,]+) rows?$/.exec(line) ?? [];
  if (indexes === undefined || table === undefined) throw new Error(`not a scan: ${line}`);
  return { indexes: indexes.split(' or '), table, rows: Number(rows?.replaceAll(',', '')) };
}

/** The statement with $1, $2 …, and the values in that order. */
export function bind(
  sql: string,
  values: Readonly<Record<string, unknown>>,
): { text: string; values: unknown[] } {
  const names: string[] = [];
  const text = sql.replaceAll(/(?<!:):([a-z_]+)/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`no value for :${name}`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, values: names.map((name) => values[name]) };
}
