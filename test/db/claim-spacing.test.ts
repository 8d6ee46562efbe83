import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { int8 } from '../../src/db/columns.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { addBacklog, addChannel, addWorkspace, after, start } from '../support/seed.ts';

const rate = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(null, 0) },
  { weight: 4, arbitrary: fc.integer({ min: 50, max: 40_000 }).map((milli) => milli / 1000) },
);

const setting = fc.record({
  groupRates: fc.array(rate, { minLength: 1, maxLength: 3 }),
  channels: fc.array(
    fc.record({
      rate,
      group: fc.nat(2),
      parallel: fc.integer({ min: 1, max: 12 }),
      backlog: fc.nat(14),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  steps: fc.array(
    fc.record({
      /** Often shorter than a second, so that slots are met in time; sometimes far longer. */
      wait: fc.oneof(fc.nat(900), fc.nat(20_000)),
      limit: fc.integer({ min: 1, max: 40 }),
      arrivals: fc.nat(2),
      finishes: fc.boolean(),
    }),
    { minLength: 1, maxLength: 14 },
  ),
});

type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

const Slot = z.object({
  channel_id: z.string(),
  rate_group: z.string(),
  status: z.enum(['claimed', 'sending', 'sent']),
  /** In microseconds since the epoch. */
  slot: int8,
});

type Slot = z.output<typeof Slot>;

let database: TestDatabase;
let count = 0;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

/** The slots that deliveries have, in order of arrival. */
async function slotsOf(workspaceId: string): Promise<Slot[]> {
  return queryRows(
    database.admin,
    Slot,
    `select d.channel_id, c.rate_group, d.status, (extract(epoch from d.not_before) * 1000000)::bigint as slot
     from outrider.deliveries d
     join outrider.channels c on c.workspace_id = d.workspace_id and c.channel_id = d.channel_id
     where d.workspace_id = $1 and d.status in ('claimed', 'sending', 'sent') order by d.seq`,
    [workspaceId],
  );
}

/** Plays claims and commits in a workspace of its own; hands the state after each claim to `judge`. */
async function play(
  { groupRates, channels, steps }: Setting,
  judge: (slots: Slot[], now: string) => void,
): Promise<void> {
  count += 1;
  const workspaceId = `w${count}`;
  await addWorkspace(database.admin, workspaceId);
  for (const [index, groupRate] of groupRates.entries()) {
    await database.admin.query(
      `insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
       values ($1, 'telegram', $2, $3, $4)`,
      [workspaceId, `g${index}`, groupRate, start],
    );
  }
  for (const [index, channel] of channels.entries()) {
    await addChannel(database.admin, workspaceId, `c${index}`, {
      rate_rps: channel.rate,
      rate_group: `g${channel.group % groupRates.length}`,
      max_parallel: channel.parallel,
    });
    await addBacklog(database.admin, workspaceId, [`c${index}`], channel.backlog);
  }

  let now = start;
  for (const step of steps) {
    now = after(step.wait / 1000, now);
    const request = { workspaceId, runId: 'run', limit: step.limit };
    const batch = await claimDeliveries(database.service, request, now);
    expect(batch.length).toBeLessThanOrEqual(step.limit);
    judge(await slotsOf(workspaceId), now);
    if (step.finishes && batch.length > 0) {
      const sent = batch.map((each) => ({ ...each, ok: true, providerMessageId: '1' }) as const);
      await commitOutcomes(database.service, workspaceId, sent, now);
    }
    const ids = channels.map((_, index) => `c${index}`);
    if (step.arrivals > 0) await addBacklog(database.admin, workspaceId, ids, step.arrivals);
  }
}

function micros(time: string): number {
  return Date.parse(time) * 1000;
}

/** The smallest distance between two of the slots; Infinity when there is at most one. */
function closest(slots: readonly Slot[]): number {
  const times = slots.map((each) => each.slot).toSorted((x, y) => x - y);
  return times.slice(1).reduce((least, time, index) => {
    const before = times[index];
    return before === undefined ? least : Math.min(least, time - before);
  }, Number.POSITIVE_INFINITY);
}

function areApart(slots: readonly Slot[], ratePerSecond: number | null): boolean {
  if (ratePerSecond === null || ratePerSecond === 0) return true;
  return closest(slots) * ratePerSecond >= 1_000_000;
}

const runs = { numRuns: 40 };
const timeout = 120_000;

describe('whatever the rates, backlogs and times of claims', () => {
  it(
    'slots of a channel are never closer than its rate allows, nor those of a group',
    async () => {
      await fc.assert(
        fc.asyncProperty(setting, async (given) => {
          await play(given, (slots) => {
            for (const [index, channel] of given.channels.entries()) {
              const own = slots.filter((each) => each.channel_id === `c${index}`);
              expect(areApart(own, channel.rate)).toBe(true);
            }
            for (const [index, groupRate] of given.groupRates.entries()) {
              const shared = slots.filter((each) => each.rate_group === `g${index}`);
              expect(areApart(shared, groupRate)).toBe(true);
            }
          });
        }),
        runs,
      );
    },
    timeout,
  );

  it(
    'nothing is sent before its slot',
    async () => {
      await fc.assert(
        fc.asyncProperty(setting, async (given) => {
          await play(given, (slots, now) => {
            const sending = slots.filter((each) => each.status !== 'claimed');
            for (const each of sending) expect(each.slot).toBeLessThanOrEqual(micros(now));
          });
        }),
        runs,
      );
    },
    timeout,
  );

  it(
    'the slots of a channel are in order of arrival',
    async () => {
      await fc.assert(
        fc.asyncProperty(setting, async (given) => {
          await play(given, (slots) => {
            for (const index of given.channels.keys()) {
              const own = slots.filter((each) => each.channel_id === `c${index}`);
              const times = own.map((each) => each.slot);
              expect(times).toEqual(times.toSorted((x, y) => x - y));
            }
          });
        }),
        runs,
      );
    },
    timeout,
  );

  it(
    'what is being sent and what rests in a channel never exceeds its max_parallel',
    async () => {
      await fc.assert(
        fc.asyncProperty(setting, async (given) => {
          await play(given, (slots) => {
            for (const [index, channel] of given.channels.entries()) {
              const held = slots.filter(
                (each) => each.channel_id === `c${index}` && each.status !== 'sent',
              );
              expect(held.length).toBeLessThanOrEqual(channel.parallel);
            }
          });
        }),
        runs,
      );
    },
    timeout,
  );
});
