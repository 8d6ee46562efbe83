import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/adapters/error-codes.ts';
import { answerTable as maxTable } from '../../src/adapters/max/answers.ts';
import { answerTable as telegramTable } from '../../src/adapters/telegram/answers.ts';
import { answerTable as vkTable } from '../../src/adapters/vk/answers.ts';

const declared = Object.keys(errorCodes);

describe('a row of an answer table', () => {
  it.each([
    ['Telegram', telegramTable.map(([, code]) => code)],
    ['MAX', Object.values(maxTable)],
    ['VK', Object.values(vkTable).map(({ code }) => code)],
  ])('of %s names a code that is declared', (_platform, codes) => {
    expect(codes.filter((code) => !declared.includes(code))).toEqual([]);
    expect(codes.length).toBeGreaterThan(10);
  });
});

describe('docs/adapters.md', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/adapters.md'), 'utf8');
  const [, section = ''] = /^## Codes\n(.*?)^## /ms.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) (\w+) (\w+)(?: (\w+))? \|/gm)];

  it('has a row for every code, and for no other, as it is declared', () => {
    const documented = rows.map(([, code, category, scope, outcome, cause]) => [
      code,
      { category, scope, outcome, ...(cause !== undefined && { cause }) },
    ]);
    expect(documented).toEqual(Object.entries(errorCodes));
  });
});
