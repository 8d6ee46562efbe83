import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { areas } from '../../scripts/sql-reference/areas.ts';
import { publicFunctions } from '../../scripts/sql-reference/functions.ts';
import { sqlReference } from '../../scripts/sql-reference/page.ts';
import { isPart } from '../../scripts/sql-rules.ts';
import { readSchemaFiles } from '../../src/db/migrate/files.ts';
import { schemaDir } from '../../src/db/open.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const functions = await publicFunctions(database.admin);
const { functions: files } = await readSchemaFiles(schemaDir);
const page = await readFile(path.resolve(import.meta.dirname, '../../docs/sql.md'), 'utf8');

const publicFiles = files.filter((file) => !isPart(file.path));

describe('the public functions', () => {
  it('are those that stand in the folder of an area itself, and no other may be called', () => {
    expect(functions.map(({ name }) => name)).toEqual(
      publicFiles.map(({ name }) => name).toSorted(),
    );
  });

  it('have their contracts as comments', () => {
    expect(functions.filter(({ contract }) => contract === '')).toEqual([]);
  });
});

describe('docs/sql.md', () => {
  it('is what the comments of the functions make; if not, run npm run sql-reference', () => {
    expect(page).toBe(sqlReference(functions, files));
  });

  it.each(functions.map(({ name, contract }) => [name, contract]))(
    'has the contract of %s as psql shows it',
    (name, contract) => {
      const entry = page.split(`\n### ${name}\n`)[1]?.split(/\n##/, 1)[0] ?? '';
      expect(words(entry)).toContain(words(contract));
    },
  );

  it('has a section for each area', () => {
    const folders = publicFiles.map(({ path: file }) => path.basename(path.dirname(file)));
    expect(areas.map(({ folder }) => folder).toSorted()).toEqual([...new Set(folders)].toSorted());
  });
});

/** Without marks of Markdown and line ends. */
function words(text: string): string {
  return text
    .replaceAll(/^- /gm, '')
    .replaceAll(/\*\*|\\(?=[<*])|`/g, '')
    .replaceAll(/\s+/g, ' ');
}
