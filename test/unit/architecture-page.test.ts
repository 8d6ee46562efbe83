import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSchemaFiles, type SqlFile } from '../../src/db/migrate/files.ts';
import { schemaDir } from '../../src/db/open.ts';
import { roles } from '../../src/roles/roles.ts';

// The tables of ARCHITECTURE.md against the schema and the code.

const page = await readFile(path.join(import.meta.dirname, '../../ARCHITECTURE.md'), 'utf8');
const { functions } = await readSchemaFiles(schemaDir);
const schema = await readFile(path.join(schemaDir, 'schema.sql'), 'utf8');
const named = new Map(functions.map((file) => [file.name, codeOf(file)]));

/** A function without comments. */
function codeOf({ text }: SqlFile): string {
  return text.replaceAll(/--.*/g, '').split('comment on function')[0] ?? '';
}

/** The cells of the table in a section of the page. */
function rowsOf(title: string): string[][] {
  const section = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function wordsIn(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`(\w+)/g)].map(([, word = '']) => word);
}

/** These functions, and all that they call. */
function withCalled(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const code = named.get(name);
    if (code === undefined || found.has(name)) continue;
    found.add(name);
    for (const [, called = ''] of code.matchAll(/outrider\.(\w+)\s*\(/g)) left.push(called);
  }
  return found;
}

function writersOf(table: string): string[] {
  const written = new RegExp(`\\b(insert into|update|delete from) (only )?outrider\\.${table}\\b`);
  return functions.map(({ name }) => name).filter((name) => written.test(named.get(name) ?? ''));
}

const tables = [...schema.matchAll(/^create table outrider\.(\w+) \(/gim)]
  .map(([, name = '']) => name)
  .filter((name) => !name.startsWith('event_log_'));

/** What the page says in words instead of names. */
const inWords: Readonly<Record<string, readonly string[]>> = {
  configuration: ['apply_workspace'],
  trigger: functions.filter((each) => each.path.includes('/triggers/')).map(({ name }) => name),
  'ordered fetch': ['fetch_unpublished'],
};

/** `erase_contact` has a row of its own; `warm_up` takes back all that it writes. */
const elsewhere = ['erase_contact', 'warm_up'];

describe('ARCHITECTURE.md', () => {
  const rows = rowsOf('Who writes which table');
  const about = (table: string): string =>
    rows
      .filter(([first]) => wordsIn(first).includes(table))
      .map(([, second]) => second)
      .join(' ');

  it('has a row for every table', () => {
    const told = rows.flatMap(([first]) => wordsIn(first));
    expect(tables.length).toBeGreaterThan(40);
    expect(tables.filter((table) => !told.includes(table))).toEqual([]);
  });

  it.each(tables.filter((table) => table !== 'event_log'))('names who writes %s', (table) => {
    const row = about(table);
    const meant = Object.entries(inWords).flatMap(([words, names]) =>
      row.includes(words) ? names : [],
    );
    const told = withCalled([...wordsIn(row), ...meant, ...elsewhere]);
    expect(writersOf(table).filter((name) => !told.has(name))).toEqual([]);
  });

  it.each(rows.map(([first = '', second = '']) => [first, second]))(
    'names only functions that write %s',
    (first, second) => {
      const told = wordsIn(second).filter((name) => named.has(name));
      const written = wordsIn(first).flatMap(writersOf);
      expect(
        told.filter((name) => !written.some((writer) => withCalled([name]).has(writer))),
      ).toEqual([]);
    },
  );

  it('lists the roles with their stages and database roles', () => {
    const told = rowsOf('Services')
      .filter((cells) => cells.length === 4)
      .map(([name, stage, worksAs]) => [wordsIn(name)[0], stage, wordsIn(worksAs)[0]]);
    expect(told).toEqual(roles.map((role) => [role.name, role.stage, role.worksAs]));
  });

  it('names in its words about locks only what there is', () => {
    const section = page.split('\n## Locks\n')[1]?.split('\n## ')[0] ?? '';
    const known = new Set(schema.match(/\w+/g));
    expect(wordsIn(section).filter((word) => !known.has(word))).toEqual([]);
  });
});
