import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { addChannel, addWorkspace } from '../support/seed.ts';

type Day = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';
type Window = Partial<Record<Day, readonly (readonly [string, string])[]>>;

let database: TestDatabase;

beforeAll(async () => {
  database = await openDatabase();
  await addWorkspace(database.admin, 'w');
});

afterAll(() => database.close());

/** When the window is next open, in UTC. */
async function opening(window: Window, zone: string, at: string): Promise<string> {
  const { opens } = await queryRow(
    database.admin,
    z.object({ opens: z.string() }),
    'select outrider.window_opening($1, $2, $3) as opens',
    [JSON.stringify(window), zone, at],
  );
  return opens === 'infinity' ? opens : new Date(opens.replace('+00', 'Z')).toISOString();
}

interface Case {
  readonly window: Window;
  readonly zone: string;
  /** Each moment, and when the window is open then or next. */
  readonly openings: Readonly<Record<string, string>>;
}

async function found({ window, zone, openings }: Case): Promise<Record<string, string>> {
  const opens: Record<string, string> = {};
  for (const at of Object.keys(openings)) opens[at] = await opening(window, zone, at);
  return opens;
}

/** Times in UTC on 2026-03-02, a Monday, unless they name another day. */
const utc = (time: string, day = '2026-03-02'): string => `${day}T${time}:00.000Z`;

describe('a posting window', () => {
  it('is in the channel’s own zone', async () => {
    const window: Window = { mon: [['09:00', '18:00']] };
    expect(await opening(window, 'Europe/Berlin', utc('00:00'))).toBe(utc('08:00'));
    expect(await opening(window, 'America/New_York', utc('00:00'))).toBe(utc('14:00'));
    expect(await opening(window, 'Asia/Kolkata', utc('00:00'))).toBe(utc('03:30'));
  });

  it('is open from its first moment until just before its last', async () => {
    const given: Case = {
      window: { mon: [['09:00', '18:00']], tue: [['09:00', '18:00']] },
      zone: 'UTC',
      openings: {
        [utc('08:59')]: utc('09:00'),
        [utc('09:00')]: utc('09:00'),
        [utc('12:34')]: utc('12:34'),
        '2026-03-02T17:59:59.999Z': '2026-03-02T17:59:59.999Z',
        [utc('18:00')]: utc('09:00', '2026-03-03'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
  });

  it('may have several spans in a day', async () => {
    const given: Case = {
      window: {
        mon: [
          ['16:00', '18:00'],
          ['09:00', '11:00'],
        ],
      },
      zone: 'UTC',
      openings: {
        [utc('08:00')]: utc('09:00'),
        [utc('12:00')]: utc('16:00'),
        [utc('17:00')]: utc('17:00'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
  });

  it('is closed on the days that it leaves out, and opens in the next week if need be', async () => {
    const given: Case = {
      window: { mon: [['09:00', '10:00']], thu: [['09:00', '10:00']] },
      zone: 'UTC',
      openings: {
        [utc('10:00')]: utc('09:00', '2026-03-05'),
        [utc('10:00', '2026-03-05')]: utc('09:00', '2026-03-09'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
    const once: Window = { mon: [['09:00', '10:00']] };
    expect(await opening(once, 'UTC', utc('10:00'))).toBe(utc('09:00', '2026-03-09'));
  });

  it('crosses midnight when a span ends before it begins', async () => {
    const given: Case = {
      window: { sun: [['22:00', '02:00']] },
      zone: 'Europe/Berlin',
      openings: {
        [utc('20:59', '2026-03-01')]: utc('21:00', '2026-03-01'),
        [utc('23:30', '2026-03-01')]: utc('23:30', '2026-03-01'),
        [utc('00:59')]: utc('00:59'),
        [utc('01:00')]: utc('21:00', '2026-03-08'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
  });

  it('may end a day at 24:00, and meet a span that begins the next at 00:00', async () => {
    const given: Case = {
      window: { sun: [['20:00', '24:00']], tue: [['00:00', '04:00']] },
      zone: 'UTC',
      openings: {
        '2026-03-01T23:59:59.999Z': '2026-03-01T23:59:59.999Z',
        [utc('00:00')]: utc('00:00', '2026-03-03'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
    const joined: Window = { sun: [['20:00', '24:00']], mon: [['00:00', '04:00']] };
    expect(await opening(joined, 'UTC', utc('00:00'))).toBe(utc('00:00'));
  });

  it.each(['24:00', '00:00'])('from 00:00 to %s is a whole day', async (end) => {
    const given: Case = {
      window: { mon: [['00:00', end]] },
      zone: 'UTC',
      openings: {
        [utc('23:59', '2026-03-01')]: utc('00:00'),
        [utc('23:59')]: utc('23:59'),
        [utc('00:00', '2026-03-03')]: utc('00:00', '2026-03-09'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
  });

  it.each([[{}], [{ mon: [] }]])('never opens when it names no span: %j', async (window) => {
    expect(await opening(window, 'UTC', utc('00:00'))).toBe('infinity');
  });
});

describe('when the clocks change', () => {
  const spring = '2026-03-29';
  const autumn = '2026-10-25';

  it('a window keeps its local time', async () => {
    const window: Window = { sat: [['09:00', '10:00']], sun: [['09:00', '10:00']] };
    const in2026 = (zone: string, at: string): Promise<string> =>
      opening(window, zone, `2026-${at}T00:00:00Z`);
    expect(await in2026('Europe/Berlin', '03-28')).toBe(utc('08:00', '2026-03-28'));
    expect(await in2026('Europe/Berlin', '03-29')).toBe(utc('07:00', spring));
    expect(await in2026('Europe/Berlin', '10-24')).toBe(utc('07:00', '2026-10-24'));
    expect(await in2026('Europe/Berlin', '10-25')).toBe(utc('08:00', autumn));
    expect(await in2026('America/New_York', '03-07')).toBe(utc('14:00', '2026-03-07'));
    expect(await in2026('America/New_York', '03-08')).toBe(utc('13:00', '2026-03-08'));
    expect(await in2026('America/New_York', '10-31')).toBe(utc('13:00', '2026-10-31'));
    expect(await in2026('America/New_York', '11-01')).toBe(utc('14:00', '2026-11-01'));
  });

  it('a night in spring is an hour shorter, also across midnight', async () => {
    const given: Case = {
      window: { sat: [['22:00', '04:00']] },
      zone: 'Europe/Berlin',
      openings: {
        [utc('20:00', '2026-03-28')]: utc('21:00', '2026-03-28'),
        [utc('01:59', spring)]: utc('01:59', spring),
        [utc('02:00', spring)]: utc('20:00', '2026-04-04'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
  });

  it('a night in autumn is an hour longer, also across midnight', async () => {
    const given: Case = {
      window: { sat: [['22:00', '04:00']] },
      zone: 'Europe/Berlin',
      openings: {
        [utc('19:00', '2026-10-24')]: utc('20:00', '2026-10-24'),
        [utc('02:59', autumn)]: utc('02:59', autumn),
        [utc('03:00', autumn)]: utc('21:00', '2026-10-31'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
  });

  it('a span that begins in the hour that spring leaves out begins as much later', async () => {
    const window: Window = { sun: [['02:30', '04:00']] };
    expect(await opening(window, 'Europe/Berlin', utc('00:00', spring))).toBe(utc('01:30', spring));
  });

  it('a span that ends in the hour that autumn repeats ends in its second pass', async () => {
    const given: Case = {
      window: { sun: [['01:00', '02:30']] },
      zone: 'Europe/Berlin',
      openings: {
        [utc('00:45', autumn)]: utc('00:45', autumn),
        [utc('01:29', autumn)]: utc('01:29', autumn),
        [utc('01:30', autumn)]: utc('00:00', '2026-11-01'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
  });
});

describe('any window at any time', () => {
  const days: readonly Day[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const clock = (minutes: number): string =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  const span = fc.tuple(fc.nat(1439), fc.nat(1440));

  /** Minute by minute, at a fixed distance from UTC. */
  function scan(
    spans: readonly (readonly [Day, number, number])[],
    at: number,
    offset: number,
  ): number {
    const local = at + offset;
    for (let minute = 0; minute <= 8 * 1440; minute += 1) {
      const day = days[(4 + Math.floor((local + minute) / 1440)) % 7]; // 1 January 1970 was a Thursday
      const yesterday = days[(3 + Math.floor((local + minute) / 1440)) % 7];
      const time = (local + minute) % 1440;
      const open = spans.some(([on, from, to]) =>
        to > from
          ? on === day && from <= time && time < to
          : (on === day && from <= time) || (on === yesterday && time < to),
      );
      if (open) return at + minute;
    }
    return Number.POSITIVE_INFINITY;
  }

  it('opens at the first minute that a plain search finds', async () => {
    const spans = fc.array(fc.tuple(fc.constantFrom(...days), span), { maxLength: 4 });
    const zone = fc.constantFrom<[string, number]>(
      ['UTC', 0],
      ['Asia/Kolkata', 330],
      ['Etc/GMT+9', -540],
    );
    const from = Date.UTC(2026, 0, 5) / 60_000;
    await fc.assert(
      fc.asyncProperty(spans, zone, fc.nat(7 * 1440), async (given, [name, offset], minute) => {
        const window: Partial<Record<Day, [string, string][]>> = {};
        for (const [day, [begin, end]] of given) {
          window[day] = [...(window[day] ?? []), [clock(begin), clock(end)]];
        }
        const plain = scan(
          given.map(([day, [begin, end]]) => [day, begin, end]),
          from + minute,
          offset,
        );
        const at = new Date((from + minute) * 60_000).toISOString();
        const opens = await opening(window, name, at);
        expect(opens).toBe(
          plain === Number.POSITIVE_INFINITY ? 'infinity' : new Date(plain * 60_000).toISOString(),
        );
      }),
      { numRuns: 200 },
    );
  });
});

// A claim looks at all channels of a workspace: one that it could not read would stop the others.
describe('a channel whose window or zone could not be read', () => {
  it.each([
    ['Mars/Phobos', '{"mon": [["09:00", "18:00"]]}'],
    ['UTC', '{"mon": "09:00"}'],
    ['UTC', '{"mon": [["nine", "six"]]}'],
    ['UTC', '{"mon": [["09:00"]]}'],
    ['UTC', '{"monday": [["09:00", "18:00"]]}'],
  ])('is refused: %s %s', async (timezone, window) => {
    const columns = { window_mode: 'windowed', timezone, posting_window: window };
    const added = addChannel(database.admin, 'w', `${timezone} ${window}`, columns);
    await expect(added).rejects.toMatchObject({ code: expect.stringMatching(/^(OR001|23514|22)/) });
  });
});
