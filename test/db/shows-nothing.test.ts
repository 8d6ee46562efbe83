import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { showsNothing, tidy } from '../../sandbox/telegram/cleaning.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { openDatabase } from '../support/database.ts';

const database = await openDatabase();

afterAll(() => database.close());

/** Every code point of the basic plane and of the plane that has the tags. */
const ranges = [
  ['U+0001 to U+D7FF', 0x1, 0xd7ff],
  ['U+E000 to U+FFFF', 0xe000, 0xffff],
  ['U+E0000 to U+EFFFF', 0xe0000, 0xeffff],
] as const;

const tidied = (text: string) => tidy({ text, entities: [] }).text;

/** Whether Telegram lets the character stand between others. */
function stands(character: string): boolean {
  return tidied(`x${character}x`) !== 'xx';
}

describe('of the characters that Telegram does not drop', () => {
  it.each(ranges)(
    'the same show nothing to preflight and to the sandbox: %s',
    async (_range, first, last) => {
      const sql = `select coalesce(array_agg(code), '{}') as codes from generate_series($1::integer, $2) code
                 where outrider.shows_nothing(chr(code))`;
      const row = z.object({ codes: z.array(z.number()) });
      const { codes } = await queryRow(database.admin, row, sql, [first, last]);
      const characters = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      const kept = (code: number) => stands(String.fromCodePoint(code));
      const invisible = characters.filter((code) =>
        showsNothing(tidied(String.fromCodePoint(code))),
      );
      expect(codes.filter(kept)).toEqual(invisible.filter(kept));
    },
  );
});
