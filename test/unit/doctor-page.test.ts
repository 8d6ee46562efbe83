import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks, checksOfChannels } from '../../src/doctor/checks.ts';

const page = await readFile(path.join(import.meta.dirname, '../../docs/doctor.md'), 'utf8');
const [, table = ''] = page.split('## The checks\n\n');

describe('docs/doctor.md', () => {
  it('has a row for every check, in their order, with what it asks', () => {
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(
      checks.map(({ name, area, asks }) => `| \`${name}\` | ${area} | ${asks}? |`),
    );
  });

  it('says which of them are those of channels', () => {
    const names = checks.map(({ name }) => name);
    const [first, ...more] = checksOfChannels.map(({ name }) => name);
    expect(page).toContain(`The rows from \`${first}\` to \`${more.at(-1)}\` are those`);
    const from = names.indexOf(first ?? '');
    expect(names.slice(from, from + checksOfChannels.length)).toEqual([first, ...more]);
  });
});

describe('the checks', () => {
  it('have names of their own', () => {
    const names = checks.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });
});
