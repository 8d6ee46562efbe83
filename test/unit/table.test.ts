import { stripVTControlCharacters, styleText } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import type { Form } from '../../src/cli/screen/form.ts';
import { cutTo, lines, oneLine, printable, widthOf } from '../../src/cli/screen/shown-text.ts';
import { alignedLines, type List, printJson, printList } from '../../src/cli/screen/table.ts';

interface Pet {
  readonly petName: string;
  readonly legs: number | null;
  readonly bornAt: Date;
}

const list: List<Pet> = {
  fields: ['petName', 'legs', 'bornAt'],
  columns: [
    { title: 'name', shrinks: 8, cell: (pet) => pet.petName },
    { title: 'legs', align: 'right', cell: ({ legs }) => ({ text: String(legs), colour: 'red' }) },
    { title: 'age', cell: () => 'old' },
  ],
};

const bornAt = new Date('2026-03-02T10:00:00Z');

function printed(form: Form, pets: readonly Pet[], width = 80, isTty = true): string[] {
  const out: string[] = [];
  const terminal: Terminal = {
    out: (line) => void out.push(line),
    err: (line) => void out.push(`err: ${line}`),
    progress: () => undefined,
    redraw: () => undefined,
    bytes: () => undefined,
    isTty,
    stopped: new Promise(() => undefined),
    input: () => Promise.resolve(''),
    canAsk: false,
    ask: () => Promise.resolve(''),
  };
  printList(terminal, list, pets, { form, width });
  return out.map((line) => stripVTControlCharacters(line));
}

const pets: readonly Pet[] = [
  { petName: 'Бим', legs: 4, bornAt },
  { petName: 'ポチ 🐕', legs: 10, bornAt },
  { petName: 'Rex', legs: null, bornAt },
];

describe('a list', () => {
  it('has aligned columns for people, by what the eye sees', () => {
    expect(printed('table', pets)).toEqual([
      'name     legs  age',
      'Бим         4  old',
      'ポチ 🐕    10  old',
      'Rex      null  old',
    ]);
  });

  it('has tab-separated lines under a header for machines', () => {
    expect(printed('tsv', pets)).toEqual([
      'pet_name\tlegs\tborn_at',
      'Бим\t4\t2026-03-02T10:00:00.000Z',
      'ポチ 🐕\t10\t2026-03-02T10:00:00.000Z',
      'Rex\t\t2026-03-02T10:00:00.000Z',
    ]);
  });

  it('has its header for machines also when it is empty', () => {
    expect(printed('tsv', [])).toEqual(['pet_name\tlegs\tborn_at']);
  });

  it.each([true, false])(
    'is one array in JSON, in the names of the schema (terminal: %s)',
    (isTty) => {
      const text = printed('json', pets, 80, isTty);
      expect(text).toHaveLength(1);
      expect(JSON.parse(text[0] ?? '')).toEqual([
        { pet_name: 'Бим', legs: 4, born_at: '2026-03-02T10:00:00.000Z' },
        { pet_name: 'ポチ 🐕', legs: 10, born_at: '2026-03-02T10:00:00.000Z' },
        { pet_name: 'Rex', legs: null, born_at: '2026-03-02T10:00:00.000Z' },
      ]);
    },
  );

  it('keeps the columns and lines of machines apart, whatever a text holds', () => {
    const nasty = 'a\tb\nc\r\nd\u2028e\u001b[31mf\u0000g\u009b1mh';
    const [, line, ...more] = printed('tsv', [{ petName: nasty, legs: 1, bornAt }]);
    expect(line?.split('\t')).toHaveLength(3);
    expect(line).toMatch(/^a b c d e \[31mf g 1mh\t/);
    expect(more).toEqual([]);
  });

  it('cuts first what may shrink when the terminal is narrow', () => {
    const long = [{ petName: 'Bartholomew the Third', legs: 4, bornAt }];
    expect(printed('table', long, 23)).toEqual([
      'name          legs  age',
      'Bartholomew…     4  old',
    ]);
  });

  it('gives up columns from the right when that is not enough', () => {
    const long = [{ petName: 'Bartholomew the Third', legs: 4, bornAt }];
    expect(printed('table', long, 14)).toEqual(['name      legs', 'Barthol…     4']);
    expect(printed('table', long, 8)).toEqual(['name', 'Barthol…']);
    expect(printed('table', long, 3)).toEqual(['na…', 'Ba…']);
  });
});

describe('a table', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom('ж', '日', '🐕', 'e\u0301', '\u200b', '👩‍👩‍👧', '\t', '\u001b'),
      maxLength: 40,
    }),
  );

  it('is never wider than the terminal, and its columns begin at the same place', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { maxLength: 8 }),
        fc.integer({ min: 1, max: 60 }),
        (rows, width) => {
          const columns = [
            { title: 'one', cell: ([one]: readonly [string, string]) => one },
            { title: 'two', shrinks: 8, cell: ([, two]: readonly [string, string]) => two },
            { title: 'end', cell: () => '|' },
          ] as const;
          const shown = alignedLines(columns, rows, width).map((line) =>
            stripVTControlCharacters(line),
          );
          for (const line of shown) expect(widthOf(line)).toBeLessThanOrEqual(width);
          const ends = shown
            .slice(1)
            .filter((line) => line.endsWith('  |'))
            .map(widthOf);
          expect(new Set(ends).size).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Привет', 6],
    ['Ünïcödé', 7],
    ['e\u0301', 1],
    ['日本語', 6],
    ['ｆｕｌｌ', 8],
    ['ﾊﾝｶｸ', 4],
    ['한글', 4],
    ['🐕', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['1️⃣', 2],
    ['a\u200bb', 2],
    ['–…', 2],
  ])('of %j is %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('is kept to by a cut, which never splits a character', () => {
    expect(cutTo('日本語', 6)).toBe('日本語');
    expect(cutTo('日本語', 5)).toBe('日本…');
    expect(cutTo('日本語', 4)).toBe('日…');
    expect(cutTo('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…');
    expect(cutTo('abc', 0)).toBe('');
    expect(cutTo('abc', 1)).toBe('…');
  });
});

describe("another's text", () => {
  it('cannot act on the terminal, nor turn it around', () => {
    expect(oneLine('a\u202eb\u2066c\u001b]0;title\u0007d')).toBe('abc ]0;title d');
    expect(lines('one\r\ntwo\n\u001b[2Jthree\tfour\u202e')).toEqual([
      'one',
      'two',
      '\ufffd[2Jthree    four',
    ]);
  });
});

describe('a document', () => {
  it('is one line for machines and indented for people', () => {
    const out: string[] = [];
    const terminal = {
      out: (line: string) => void out.push(line),
      err: () => undefined,
      progress: () => undefined,
      redraw: () => undefined,
      bytes: () => undefined,
      stopped: new Promise<void>(() => undefined),
      input: () => Promise.resolve(''),
      canAsk: false,
      ask: () => Promise.resolve(''),
    };
    printJson({ ...terminal, isTty: false }, { a: [1] });
    printJson({ ...terminal, isTty: true }, { a: [1] });
    expect(out).toEqual(['{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}']);
  });
});

describe('what is printed', () => {
  it('keeps its colours, line breaks and tabs', () => {
    const text = `${styleText('red', 'dead', { validateStream: false })}\tis\n${styleText('bold', 'dead', { validateStream: false })}`;
    expect(text).toContain('\u001b[');
    expect(printable(text)).toBe(text);
  });

  it('has everything else that a terminal obeys by its number', () => {
    expect(printable('a\u001b[2Jb\u001b]0;c\u0007\rd\u009be')).toBe(
      String.raw`a\u001b[2Jb\u001b]0;c\u0007\u000dd\u009be`,
    );
  });
});
