import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/fixtures/database.ts';
import { clock, type Day, days, opening, type Window } from '../support/queue/posting-windows.ts';

// Posting windows where the clocks are changed, in 2026:
//   Europe/Berlin         29 March 02:00 → 03:00 (01:00 UTC),  25 October 03:00 → 02:00 (01:00 UTC)
//   America/New_York       8 March 02:00 → 03:00 (07:00 UTC), 1 November 02:00 → 01:00 (06:00 UTC)
//   Australia/Lord_Howe  4 October 02:00 → 02:30 (15:30 UTC),    5 April 02:00 → 01:30 (15:00 UTC)
//   Africa/Cairo          24 April 00:00 → 01:00 (22:00 UTC), 29 October 24:00 → 23:00 (21:00 UTC)

const database = await useDatabase();

const weekend: Window = { sat: [['09:00', '10:00']], sun: [['09:00', '10:00']] };
const saturdayNight: Window = { sat: [['22:00', '04:00']] };
const wholeSunday: Window = { sun: [['00:00', '24:00']] };
const sunday = (from: string, to: string): Window => ({ sun: [[from, to]] });

/** Moments in UTC, and when the window is open next: `=` then and there. */
const openings: readonly (readonly [
  claim: string,
  zone: string,
  window: Window,
  found: readonly string[],
])[] = [
  [
    'a window keeps its local time',
    'Europe/Berlin',
    weekend,
    [
      '03-28 00:00 → 03-28 08:00',
      '03-29 00:00 → 03-29 07:00',
      '10-24 00:00 → 10-24 07:00',
      '10-25 00:00 → 10-25 08:00',
    ],
  ],
  [
    'a window keeps its local time',
    'America/New_York',
    weekend,
    [
      '03-07 00:00 → 03-07 14:00',
      '03-08 00:00 → 03-08 13:00',
      '10-31 00:00 → 10-31 13:00',
      '11-01 00:00 → 11-01 14:00',
    ],
  ],
  [
    'a window keeps its local time, though the clocks move by half an hour',
    'Australia/Lord_Howe',
    sunday('09:00', '10:00'),
    [
      '03-28 23:00 → 04-04 22:30',
      '04-04 23:29 =',
      '04-04 23:30 → 04-11 22:30',
      '09-27 00:00 → 10-03 22:00',
    ],
  ],
  [
    'days without a span stay closed, and the week is an hour shorter or longer',
    'Europe/Berlin',
    { mon: [['09:00', '10:00']] },
    [
      '03-23 09:00 → 03-30 07:00',
      '03-29 12:00 → 03-30 07:00',
      '10-19 08:00 → 10-26 08:00',
      '10-25 12:00 → 10-26 08:00',
    ],
  ],
  [
    'a day has 23 hours in spring',
    'Europe/Berlin',
    wholeSunday,
    ['03-28 22:59 → 03-28 23:00', '03-29 01:00 =', '03-29 21:59 =', '03-29 22:00 → 04-04 22:00'],
  ],
  [
    'a day has 25 hours in autumn',
    'America/New_York',
    wholeSunday,
    [
      '11-01 03:59 → 11-01 04:00',
      '11-01 05:30 =',
      '11-01 06:30 =',
      '11-02 04:59 =',
      '11-02 05:00 → 11-08 05:00',
    ],
  ],
  [
    'a span across midnight is an hour shorter in spring',
    'Europe/Berlin',
    saturdayNight,
    ['03-28 20:59 → 03-28 21:00', '03-29 01:59 =', '03-29 02:00 → 04-04 20:00'],
  ],
  [
    'a span across midnight is an hour shorter in spring',
    'America/New_York',
    saturdayNight,
    ['03-08 02:59 → 03-08 03:00', '03-08 07:59 =', '03-08 08:00 → 03-15 02:00'],
  ],
  [
    'a span across midnight is an hour longer in autumn',
    'Europe/Berlin',
    saturdayNight,
    ['10-24 19:59 → 10-24 20:00', '10-25 02:59 =', '10-25 03:00 → 10-31 21:00'],
  ],
  [
    'a span across midnight is an hour longer in autumn',
    'America/New_York',
    saturdayNight,
    ['11-01 01:59 → 11-01 02:00', '11-01 08:59 =', '11-01 09:00 → 11-08 03:00'],
  ],
  [
    'a span that begins in the hour that spring leaves out begins as much later',
    'Europe/Berlin',
    sunday('02:30', '04:00'),
    [
      '03-29 00:59 → 03-29 01:30',
      '03-29 01:29 → 03-29 01:30',
      '03-29 01:59 =',
      '03-29 02:00 → 04-05 00:30',
    ],
  ],
  [
    'a span that begins in the hour that spring leaves out begins as much later',
    'America/New_York',
    sunday('02:30', '04:00'),
    ['03-08 06:59 → 03-08 07:30', '03-08 07:59 =', '03-08 08:00 → 03-15 06:30'],
  ],
  [
    'a span that begins in the half hour that spring leaves out begins as much later',
    'Australia/Lord_Howe',
    sunday('02:15', '04:00'),
    ['10-03 15:29 → 10-03 15:45', '10-03 16:59 =', '10-03 17:00 → 10-10 15:15'],
  ],
  [
    'a span that ends in the hour that spring leaves out ends as much later',
    'Europe/Berlin',
    sunday('01:00', '02:30'),
    ['03-28 23:59 → 03-29 00:00', '03-29 01:29 =', '03-29 01:30 → 04-04 23:00'],
  ],
  [
    'a span within the hour that spring leaves out comes as much later',
    'America/New_York',
    sunday('02:15', '02:45'),
    ['03-08 06:59 → 03-08 07:15', '03-08 07:44 =', '03-08 07:45 → 03-15 06:15'],
  ],
  [
    'a span that would end before it begins does not open on that day',
    'Europe/Berlin',
    sunday('02:30', '03:15'),
    [
      '03-22 02:14 =',
      '03-22 02:15 → 04-05 00:30',
      '03-29 00:59 → 04-05 00:30',
      '03-29 01:30 → 04-05 00:30',
    ],
  ],
  [
    'a span that begins in the hour that autumn repeats begins in its second pass',
    'Europe/Berlin',
    sunday('02:30', '04:00'),
    ['10-25 00:30 → 10-25 01:30', '10-25 02:59 =', '10-25 03:00 → 11-01 01:30'],
  ],
  [
    'a span that ends in the hour that autumn repeats ends in its second pass',
    'Europe/Berlin',
    sunday('01:00', '02:30'),
    ['10-24 22:59 → 10-24 23:00', '10-25 00:45 =', '10-25 01:29 =', '10-25 01:30 → 11-01 00:00'],
  ],
  [
    'a span within the hour that autumn repeats opens once',
    'America/New_York',
    sunday('01:15', '01:45'),
    ['11-01 05:15 → 11-01 06:15', '11-01 06:44 =', '11-01 06:45 → 11-08 06:15'],
  ],
  [
    'a span within the half hour that autumn repeats opens once',
    'Australia/Lord_Howe',
    sunday('01:35', '01:55'),
    ['04-04 14:40 → 04-04 15:05', '04-04 15:24 =', '04-04 15:25 → 04-11 15:05'],
  ],
  [
    'a day that begins at one o’clock is open from then on',
    'Africa/Cairo',
    { fri: [['00:00', '24:00']] },
    ['04-23 21:59 → 04-23 22:00', '04-24 20:59 =', '04-24 21:00 → 04-30 21:00'],
  ],
  [
    'an evening that has its last hour twice is open in both',
    'Africa/Cairo',
    { thu: [['22:00', '24:00']] },
    ['10-29 18:59 → 10-29 19:00', '10-29 20:30 =', '10-29 21:59 =', '10-29 22:00 → 11-05 20:00'],
  ],
];

describe('when the clocks change', () => {
  it.each(openings)('%s: %s', async (_claim, zone, window, expected) => {
    const found: string[] = [];
    for (const line of expected) {
      const at = line.slice(0, 11);
      const time = await opening(database.admin, window, zone, `2026-${at.replace(' ', 'T')}:00Z`);
      const opens = time.slice(5, 16).replace('T', ' ');
      found.push(opens === at ? `${at} =` : `${at} → ${opens}`);
    }
    expect(found).toEqual(expected);
  });
});

describe('any window near a change of the clocks', () => {
  const minute = 60_000;
  type Span = readonly [day: Day, from: number, to: number];
  const readers = new Map<string, Intl.DateTimeFormat>();

  /** How far the clocks of a zone are ahead of UTC. */
  function ahead(zone: string, at: number): number {
    const reader =
      readers.get(zone) ??
      new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    readers.set(zone, reader);
    return Date.parse(`${reader.format(at).replace(' ', 'T')}Z`) - at;
  }

  /** A local time: its last pass when it happens twice, as much later when it is left out. */
  function moment(zone: string, local: number): number {
    const day = 1440 * minute;
    const [before, since] = [ahead(zone, local - day), ahead(zone, local + day)];
    return ahead(zone, local - since) === since ? local - since : local - before;
  }

  function plainSearch(spans: readonly Span[], zone: string, at: number): number {
    const midnight = Math.floor((at + ahead(zone, at)) / (1440 * minute));
    let first = Number.POSITIVE_INFINITY;
    for (let date = midnight - 2; date <= midnight + 16; date += 1) {
      for (const [day, from, to] of spans) {
        if (days[(date + 4) % 7] !== day) continue; // 1 January 1970 was a Thursday
        const opens = moment(zone, (date * 1440 + from) * minute);
        const closes = moment(zone, (date * 1440 + to + (to <= from ? 1440 : 0)) * minute);
        if (closes > Math.max(opens, at)) first = Math.min(first, Math.max(opens, at));
      }
    }
    return first;
  }

  const changes = [
    ['Europe/Berlin', '03-29', 'sun'],
    ['Europe/Berlin', '10-25', 'sun'],
    ['America/New_York', '03-08', 'sun'],
    ['America/New_York', '11-01', 'sun'],
    ['Australia/Lord_Howe', '10-04', 'sun'],
    ['Australia/Lord_Howe', '04-05', 'sun'],
    ['Africa/Cairo', '04-24', 'fri'],
    ['Africa/Cairo', '10-29', 'thu'],
  ] as const;
  /** Often in the first hours of a day, where the clocks move. */
  const quarter = (last: number): fc.Arbitrary<number> =>
    fc.oneof(fc.nat(16), fc.nat(last)).map((each) => each * 15);

  const change = fc.constantFrom(...changes).chain(([zone, date, day]) => {
    const on = fc.oneof({ weight: 3, arbitrary: fc.constant(day) }, fc.constantFrom(...days));
    const span: fc.Arbitrary<Span> = fc.tuple(on, quarter(95), quarter(96));
    return fc.record({
      zone: fc.constant(zone),
      midnight: fc.constant(Date.parse(`2026-${date}T00:00:00Z`)),
      spans: fc.array(span, { minLength: 1, maxLength: 2 }),
      minutes: fc.oneof(
        fc.integer({ min: -1440, max: 1440 }),
        fc.integer({ min: -11_520, max: 0 }),
      ),
    });
  });

  it('opens when a plain search through the days finds it', async () => {
    await fc.assert(
      fc.asyncProperty(change, async ({ zone, midnight, spans, minutes }) => {
        const at = midnight + minutes * minute;
        const window: Partial<Record<Day, [string, string][]>> = {};
        for (const [day, from, to] of spans) {
          window[day] = [...(window[day] ?? []), [clock(from), clock(to)]];
        }
        const found = await opening(database.admin, window, zone, new Date(at).toISOString());
        expect(found).toBe(new Date(plainSearch(spans, zone, at)).toISOString());
      }),
      { numRuns: 1000 },
    );
  });
});
