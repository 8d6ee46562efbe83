import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { openDatabase } from '../support/database.ts';
import { isEmptyOnTelegram } from '../support/telegram-text.ts';

const database = await openDatabase();

afterAll(() => database.close());

const isSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdf_ff;
const lastCode = 0x10_ff_ff;

it('of all characters those show nothing of which Telegram says "text must be non-empty"', async () => {
  const { codes } = await queryRow(
    database.admin,
    z.object({ codes: z.array(z.number()) }),
    `select array_agg(c.code order by c.code) filter (where outrider.shows_nothing(chr(c.code))) as codes
     from generate_series(1, $1) as c (code)
     where c.code not between x'd800'::integer and x'dfff'::integer`,
    [lastCode],
  );
  const expected = Array.from({ length: lastCode }, (_, index) => index + 1).filter(
    (code) => !isSurrogate(code) && isEmptyOnTelegram(String.fromCodePoint(code)),
  );
  expect(codes).toEqual(expected);
});
