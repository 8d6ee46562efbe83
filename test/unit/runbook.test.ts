import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { readSchemaFiles } from '../../src/db/migrate/files.ts';
import { schemaDir } from '../../src/db/open.ts';

const page = await readFile(path.join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const { functions } = await readSchemaFiles(schemaDir);
const kinds = functions.find((each) => each.name === 'alert_kinds')?.text ?? '';
const alertKinds = [...kinds.matchAll(/^ +\('(\w+)',/gm)].map(([, kind = '']) => kind);
const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);

describe('docs/runbook.md', () => {
  it.each(alertKinds)('has a section that an alert of kind %s links to', (kind) => {
    expect(headings).toContain(kind);
  });

  it('has the ten operations, each with a command and a function that are there', () => {
    const rows = [...page.matchAll(/^\| (\d+) \| .+ \| `outrider ([\w-]+).* \| (.+) \|$/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const known = functions.map((each) => each.name);
    for (const [, , command = '', called = ''] of rows) {
      expect(commands.map((each) => each.name)).toContain(command);
      for (const name of called.replaceAll('`', '').split(', ')) expect(known).toContain(name);
    }
  });
});
