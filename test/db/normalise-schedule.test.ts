import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

async function faultOf(time: string): Promise<string | null> {
  const row = z.object({ fault: z.string().nullable() });
  const sql = 'select outrider.payload_fault($1) as fault';
  const raw = JSON.stringify({ text: 'Lost', scheduled_for: time });
  return (await queryRow(database.admin, row, sql, [raw])).fault;
}

/** What PostgreSQL makes of a time; undefined: it cannot read it. */
async function read(time: string): Promise<number | undefined> {
  const row = z.object({ at: z.string().transform(Number) });
  const sql = "select extract(epoch from date_trunc('milliseconds', $1::timestamptz)) * 1000 as at";
  return queryRow(database.admin, row, sql, [time]).then(
    ({ at }) => at,
    () => undefined,
  );
}

const listed = (...lines: readonly string[]): string[] => lines.flatMap((line) => line.split('|'));

const notTimes = listed(
  '|tomorrow|now|infinity|epoch|1772445600|2026-03-02|10:00:00Z',
  '2026-03-02T10:00:00|2026-03-02T10:00:00 UTC|2026-03-02T10:00:00 Europe/Berlin',
  '2026-03-02T24:00:00Z|2026-03-02T10:60:00Z|2026-03-02T10:00:60Z|2026-03-02T10Z',
  '2026-03-02T10:00:00+16:00|2026-03-02T10:00:00+01:60|2026-03-02T10:00:00+1',
  '2026-3-2T10:00:00Z|99999-03-02T10:00:00Z|-2026-03-02T10:00:00Z|20260302T100000Z',
  '2026-03-02T10:00:00.Z|2026-03-02T10:00:00,5Z|2026-03-02t10:00:00z',
  ' 2026-03-02T10:00:00Z|2026-03-02T10:00:00Z\n|2026-03-02T10:00:00Z BC|٢٠٢٦-03-02T10:00:00Z',
);
const lawful = listed(
  '2026-03-02T10:00:00Z|2026-03-02 10:00Z|2026-03-02T23:59:59.999999+15:59',
  '2026-03-02T10:00:00.123456789-03|2026-03-02T10:00:00+0530|2026-12-31T00:00:00-00:00',
  '2028-02-29T00:00:00Z|2000-02-29T00:00:00Z|1970-01-01T00:00:00Z|2200-12-31T23:59:59Z',
);
const missingDays = listed(
  '2026-00-02|2026-13-02|2026-01-00|2026-01-32|2026-04-31|2026-06-31|2026-09-31|2026-11-31',
  '2026-02-29|2100-02-29|2028-02-30|2026-12-32',
);

describe('a post’s scheduled_for', () => {
  it.each(notTimes)('is refused when it is not a time with an offset: %j', async (time) => {
    const reason = 'is not an ISO 8601 time with an offset, such as 2026-03-02T10:00:00Z';
    expect(await faultOf(time)).toBe(`scheduled_for ${JSON.stringify(time)} ${reason}`);
  });

  it.each(missingDays)('is refused on a day that does not exist: %s', async (day) => {
    const fault = `scheduled_for "${day}T10:00:00Z" is on a day that does not exist`;
    expect(await faultOf(`${day}T10:00:00Z`)).toBe(fault);
  });

  it.each(['0000', '1969', '2201', '9999'])('is refused in the year %s', async (year) => {
    const fault = `scheduled_for "${year}-06-01T10:00:00Z" is not in the years 1970 to 2200`;
    expect(await faultOf(`${year}-06-01T10:00:00Z`)).toBe(fault);
  });

  it.each(lawful)('may be %s', async (time) => {
    expect(await faultOf(time)).toBeNull();
    expect(await read(time)).toBeDefined();
  });

  it('is accepted exactly when there is such a time', async () => {
    const two = (most: number): fc.Arbitrary<string> =>
      fc.nat(most).map((number) => String(number).padStart(2, '0'));
    const year = fc.integer({ min: 1970, max: 2200 });
    const date = fc.tuple(year, two(13), two(32)).map((parts) => parts.join('-'));
    const clock = fc.tuple(two(25), two(61), two(61)).map((parts) => parts.join(':'));
    await fc.assert(
      fc.asyncProperty(date, clock, two(17), two(61), async (day, hour, ahead, minutes) => {
        const time = `${day}T${hour}+${ahead}:${minutes}`;
        const there = Number(ahead) <= 15 && Number(minutes) <= 59 && isTime(day, hour);
        const offset = (Number(ahead) * 60 + Number(minutes)) * 60_000;
        const at = (await faultOf(time)) === null ? await read(time) : 'refused';
        expect(at).toBe(there ? Date.parse(`${day}T${hour}Z`) - offset : 'refused');
      }),
      { numRuns: 1000 },
    );
  });
});

/** Whether a calendar and a clock show it: a day that does not exist would come back as another. */
function isTime(day: string, hour: string): boolean {
  const at = Date.parse(`${day}T${hour}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString() === `${day}T${hour}.000Z`;
}
