import { describe, expect, it } from 'vitest';
import { time, timeInJson, timeOrInJson } from '../../src/db/columns.ts';

const moment = new Date('2026-03-02T10:00:01.250Z');
const asWritten = '2026-03-02 13:00:01.25+03';
const inJson = '2026-03-02T13:00:01.25+03:00';

describe('a time in a row', () => {
  it.each([[asWritten], ['2026-03-02 15:30:01.25+05:30'], ['2026-03-02 10:00:01.250000+00']])(
    'is read as PostgreSQL writes it: %s',
    (text) => {
      expect(time.parse(text)).toEqual(moment);
    },
  );

  it.each([[inJson], ['infinity'], ['0044-03-15 12:00:00+00 BC'], ['10:00'], ['']])(
    'is refused as anything else, and not taken for some other time: %j',
    (text) => {
      expect(time.safeParse(text).success).toBe(false);
    },
  );
});

describe('a time of a document', () => {
  it('is read as JSON has it', () => {
    expect(timeInJson.parse(inJson)).toEqual(moment);
  });

  it.each([[asWritten], [inJson]])('is read in both ways where both may come: %s', (text) => {
    expect(timeOrInJson.parse(text)).toEqual(moment);
  });
});
