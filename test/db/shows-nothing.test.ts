import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { showsNothing, tidy } from '../../sandbox/telegram/cleaning.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { openDatabase } from '../support/database.ts';
import { isEmptyOnTelegram } from '../support/telegram-text.ts';

const database = await openDatabase();

afterAll(() => database.close());

const isSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdf_ff;
const lastCode = 0x10_ff_ff;

function codesWhere(holds: (character: string) => boolean): number[] {
  return Array.from({ length: lastCode }, (_, index) => index + 1).filter(
    (code) => !isSurrogate(code) && holds(String.fromCodePoint(code)),
  );
}

it('of all characters the same show nothing to Telegram, to preflight and to the sandbox', async () => {
  const { codes } = await queryRow(
    database.admin,
    z.object({ codes: z.array(z.number()) }),
    `select array_agg(c.code order by c.code) filter (where outrider.shows_nothing(chr(c.code))) as codes
     from generate_series(1, $1) as c (code)
     where c.code not between x'd800'::integer and x'dfff'::integer`,
    [lastCode],
  );
  expect(codes).toEqual(codesWhere(isEmptyOnTelegram));
  expect(codes).toEqual(codesWhere((text) => showsNothing(tidy({ text, entities: [] }).text)));
});
