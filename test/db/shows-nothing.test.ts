import { expect, it } from 'vitest';
import { z } from 'zod';
import { showsNothing, tidy } from '../../sandbox/telegram/cleaning.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { isEmptyOnTelegram } from '../support/oracles/telegram-text.ts';

const database = await useDatabase();

/** The first plane without its surrogates, and the one that has the tags: no others have characters without a sign. */
const ranges = [
  ['U+0001 to U+D7FF', 0x1, 0xd7_ff],
  ['U+E000 to U+FFFF', 0xe0_00, 0xff_ff],
  ['U+E0000 to U+EFFFF', 0xe_00_00, 0xe_ff_ff],
] as const;

it.each(ranges)(
  'the same characters show nothing to Telegram, to preflight and to the sandbox: %s',
  async (_, first, last) => {
    const codesWhere = (holds: (character: string) => boolean): number[] =>
      Array.from({ length: last - first + 1 }, (_unused, index) => first + index).filter((code) =>
        holds(String.fromCodePoint(code)),
      );
    const { codes } = await queryRow(
      database.admin,
      z.object({ codes: z.array(z.number()) }),
      `select coalesce(array_agg(c.code order by c.code), '{}') as codes
     from generate_series($1::integer, $2) as c (code) where outrider.shows_nothing(chr(c.code))`,
      [first, last],
    );
    expect(codes).toEqual(codesWhere(isEmptyOnTelegram));
    expect(codes).toEqual(codesWhere((text) => showsNothing(tidy({ text, entities: [] }).text)));
  },
);
