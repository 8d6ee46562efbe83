// How values leave the driver: nothing is rounded on the way. int8 and numeric are texts anyway;
// times are too, since a Date drops microseconds and some times act as tokens. The caller's row
// schema turns them into what it needs (see columns.ts).

import pg from 'pg';

export const exactTypes = new pg.TypeOverrides();

const { TIMESTAMPTZ, TIMESTAMP, DATE, INTERVAL } = pg.types.builtins;
for (const type of [TIMESTAMPTZ, TIMESTAMP, DATE, INTERVAL]) {
  exactTypes.setTypeParser(type, (text: string) => text);
}
