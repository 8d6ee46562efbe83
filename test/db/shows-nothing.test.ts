import { expect, it } from 'vitest';
import { z } from 'zod';
import { showsNothing, tidy } from '../../sandbox/telegram/cleaning.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

/** Characters that Telegram's server takes out of a text, and those that it finds empty (is_empty_string of TDLib). */
const unseen: readonly (readonly [first: number, last: number])[] = [
  [0x01, 0x20],
  [0xa0, 0xa0],
  [0x03_0a, 0x03_0a],
  [0x03_33, 0x03_33],
  [0x03_3f, 0x03_3f],
  [0x16_80, 0x16_80],
  [0x18_0e, 0x18_0e],
  [0x20_00, 0x20_0f],
  [0x20_28, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x28_00, 0x28_00],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
  [0xff_fc, 0xff_fc],
  [0xe_00_00, 0xe_00_7f],
];

/** The first plane without its surrogates, and the one that has the tags: no others have characters without a sign. */
const ranges = [
  ['U+0001 to U+D7FF', 0x1, 0xd7_ff],
  ['U+E000 to U+FFFF', 0xe0_00, 0xff_ff],
  ['U+E0000 to U+EFFFF', 0xe_00_00, 0xe_ff_ff],
] as const;

it.each(ranges)(
  'the same characters show nothing to Telegram, to preflight and to the sandbox: %s',
  async (_, first, last) => {
    const codesWhere = (holds: (code: number) => boolean): number[] =>
      Array.from({ length: last - first + 1 }, (_unused, index) => first + index).filter(holds);
    const isUnseen = (code: number): boolean =>
      unseen.some(([from, to]) => code >= from && code <= to);
    const isEmptyInSandbox = (code: number): boolean =>
      showsNothing(tidy({ text: String.fromCodePoint(code), entities: [] }).text);
    const { codes } = await queryRow(
      database.admin,
      z.object({ codes: z.array(z.number()) }),
      `select coalesce(array_agg(c.code order by c.code), '{}') as codes
     from generate_series($1::integer, $2) as c (code) where outrider.shows_nothing(chr(c.code))`,
      [first, last],
    );
    expect(codes).toEqual(codesWhere(isUnseen));
    expect(codes).toEqual(codesWhere(isEmptyInSandbox));
  },
);
