import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { addBacklog, addChannel, addWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  clock,
  type Day,
  days,
  opening,
  openingsOf,
  utc,
  type Window,
  type WindowCase,
} from '../support/queue/posting-windows.ts';

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
});

function openingOf(window: Window, zone: string, at: string): Promise<string> {
  return opening(database.admin, window, zone, at);
}

function found(given: WindowCase): Promise<Record<string, string>> {
  return openingsOf(database.admin, given);
}

describe('a posting window', () => {
  it('is in the channel’s own zone', async () => {
    const window: Window = { mon: [['09:00', '18:00']] };
    expect(await openingOf(window, 'Europe/Berlin', utc('00:00'))).toBe(utc('08:00'));
    expect(await openingOf(window, 'America/New_York', utc('00:00'))).toBe(utc('14:00'));
    expect(await openingOf(window, 'Asia/Kolkata', utc('00:00'))).toBe(utc('03:30'));
  });

  it('is open from its first moment until just before its last', async () => {
    const given: WindowCase = {
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
    const given: WindowCase = {
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
    const given: WindowCase = {
      window: { mon: [['09:00', '10:00']], thu: [['09:00', '10:00']] },
      zone: 'UTC',
      openings: {
        [utc('10:00')]: utc('09:00', '2026-03-05'),
        [utc('10:00', '2026-03-05')]: utc('09:00', '2026-03-09'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
    const once: Window = { mon: [['09:00', '10:00']] };
    expect(await openingOf(once, 'UTC', utc('10:00'))).toBe(utc('09:00', '2026-03-09'));
  });

  it('crosses midnight when a span ends before it begins', async () => {
    const given: WindowCase = {
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
    const given: WindowCase = {
      window: { sun: [['20:00', '24:00']], tue: [['00:00', '04:00']] },
      zone: 'UTC',
      openings: {
        '2026-03-01T23:59:59.999Z': '2026-03-01T23:59:59.999Z',
        [utc('00:00')]: utc('00:00', '2026-03-03'),
      },
    };
    expect(await found(given)).toEqual(given.openings);
    const joined: Window = { sun: [['20:00', '24:00']], mon: [['00:00', '04:00']] };
    expect(await openingOf(joined, 'UTC', utc('00:00'))).toBe(utc('00:00'));
  });

  it.each(['24:00', '00:00'])('from 00:00 to %s is a whole day', async (end) => {
    const given: WindowCase = {
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
    expect(await openingOf(window, 'UTC', utc('00:00'))).toBe('infinity');
  });
});

describe('any window at any time', () => {
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
        const opens = await openingOf(window, name, at);
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

describe('a channel whose window never opens', () => {
  it('gives nothing, not in a week either, until its window is changed', async () => {
    const columns = { window_mode: 'windowed', timezone: 'UTC', posting_window: '{"sun": []}' };
    await addChannel(database.admin, 'w', 'closed', columns);
    await addBacklog(database.admin, 'w', ['closed'], 1);
    const request = { workspaceId: 'w', runId: 'run', limit: 1 };
    const claim = async (now: string): Promise<number> =>
      (await claimDeliveries(database.service, request, now)).length;
    expect(await claim(start)).toBe(0);
    expect(await claim(after(7 * 86_400))).toBe(0);
    expect(await claim(after(8 * 86_400))).toBe(0);
    await database.admin.query(
      `update outrider.channels set posting_window = '{"tue": [["10:00", "11:00"]]}' where channel_id = 'closed'`,
    );
    expect(await claim(after(8 * 86_400 - 1))).toBe(0);
    expect(await claim(after(8 * 86_400))).toBe(1);
  });
});
