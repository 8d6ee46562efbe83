import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CallRequest,
  type ClaimedDelivery,
  claimDeliveries,
  takeCall,
} from '../../src/db/claim.ts';
import { int8 } from '../../src/db/columns.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import {
  addBacklog,
  addChannel,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

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
      albums: fc.nat(3),
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
      /** A further call of each delivery that was claimed shows so many messages. */
      messages: fc.option(fc.constantFrom(0, 1, 3)),
    }),
    { minLength: 1, maxLength: 14 },
  ),
});

type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

const Slot = z.object({
  delivery_id: z.string(),
  channel_id: z.string(),
  rate_group: z.string(),
  status: z.enum(['claimed', 'sending', 'sent']),
  /** It counts as so many messages. */
  weight: z.number(),
  /** It has the slot of its group too. */
  is_certain: z.boolean(),
  /** In microseconds since the epoch. */
  slot: int8,
});

type Slot = z.output<typeof Slot>;

/** A call that has its slots: the first of a delivery, or a further one. */
interface Certain {
  /** Null for a call that shows nothing in a chat. */
  readonly channelId: string | null;
  readonly rateGroup: string;
  readonly weight: number;
  readonly at: number;
}

interface State {
  readonly slots: readonly Slot[];
  readonly certain: readonly Certain[];
  readonly now: string;
}

const database = await useDatabase();

/** The slots that deliveries have, in order of arrival. */
async function slotsOf(workspaceId: string): Promise<Slot[]> {
  return queryRows(
    database.admin,
    Slot,
    `select d.delivery_id, d.channel_id, c.rate_group, d.status, outrider.next_weight(d.render_meta) as weight,
       coalesce(q.weight, 0) = 0 as is_certain, (extract(epoch from d.not_before) * 1000000)::bigint as slot
     from outrider.deliveries d
     join outrider.channels c on c.workspace_id = d.workspace_id and c.channel_id = d.channel_id
     left join outrider.delivery_queue q on q.workspace_id = d.workspace_id and q.delivery_id = d.delivery_id
     where d.workspace_id = $1 and d.status in ('claimed', 'sending', 'sent') order by d.seq`,
    [workspaceId],
  );
}

/** Further calls of sends, asked for again in every step until they may be made. */
function furtherCalls(workspaceId: string, certain: Certain[]) {
  let waiting: { delivery: ClaimedDelivery; messages: number; slots?: CallRequest['slots'] }[] = [];
  return {
    begin(batch: readonly ClaimedDelivery[], messages: number): void {
      waiting.push(...batch.map((delivery) => ({ delivery, messages })));
    },
    async ask(now: string): Promise<void> {
      const asked = waiting;
      waiting = [];
      for (const { delivery, messages, slots } of asked) {
        const { deliveryId, claimToken, channel } = delivery;
        const request = { workspaceId, deliveryId, claimToken, messages, slots };
        const taken = await takeCall(database.service, request, now);
        if (taken === undefined) continue;
        if (taken.slots.groupSlot === null) {
          waiting.push({ delivery, messages, slots: taken.slots });
          continue;
        }
        certain.push({
          channelId: messages === 0 ? null : channel.channelId,
          rateGroup: channel.rateGroup,
          weight: Math.max(1, messages),
          at: exactMicros(taken.slots.groupSlot),
        });
      }
    },
  };
}

/** Plays claims, calls and commits in a workspace of its own; hands the state after each claim to `judge`. */
async function play(
  { groupRates, channels, steps }: Setting,
  judge: (state: State) => void,
): Promise<void> {
  const workspaceId = await addNewWorkspace(database);
  for (const [index, groupRate] of groupRates.entries()) {
    const group = { rate_group: `g${index}`, rate_rps: groupRate };
    await setGroup(database.admin, workspaceId, group);
  }
  for (const [index, channel] of channels.entries()) {
    await addChannel(database.admin, workspaceId, `c${index}`, {
      rate_rps: channel.rate,
      rate_group: `g${channel.group % groupRates.length}`,
      max_parallel: channel.parallel,
    });
    await addBacklog(database.admin, workspaceId, [`c${index}`], channel.backlog);
    await addBacklog(database.admin, workspaceId, [`c${index}`], channel.albums, 4);
  }

  const certain: Certain[] = [];
  const known = new Set<string>();
  const calls = furtherCalls(workspaceId, certain);
  let now = start;
  for (const step of steps) {
    now = after(step.wait / 1000, now);
    const request = { workspaceId, runId: 'run', limit: step.limit };
    const batch = await claimDeliveries(database.service, request, now);
    expect(batch.length).toBeLessThanOrEqual(step.limit);
    const slots = await slotsOf(workspaceId);
    for (const each of slots.filter((slot) => slot.is_certain && !known.has(slot.delivery_id))) {
      known.add(each.delivery_id);
      certain.push({
        channelId: each.channel_id,
        rateGroup: each.rate_group,
        weight: each.weight,
        at: each.slot,
      });
    }
    await calls.ask(now);
    judge({ slots, certain, now });
    if (step.messages !== null) calls.begin(batch, step.messages);
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

/** Of a time as PostgreSQL writes it. */
function exactMicros(time: string): number {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?\+00$/.exec(time) ?? [];
  return micros(`${seconds.replace(' ', 'T')}Z`) + Number(fraction.padEnd(6, '0'));
}

/** Whether no two are closer than the slots between them last. */
function areApart(
  times: readonly (readonly [at: number, weight: number])[],
  ratePerSecond: number | null,
  slotsBetween: (before: number, behind: number) => number,
): boolean {
  if (ratePerSecond === null || ratePerSecond === 0) return true;
  const sorted = times.toSorted(([one], [other]) => one - other);
  return sorted.slice(1).every(([at, weight], index) => {
    const [before, weightBefore] = sorted[index] ?? [Number.NEGATIVE_INFINITY, 1];
    return (at - before) * ratePerSecond >= slotsBetween(weightBefore, weight) * 1_000_000;
  });
}

/** A call of several messages is made at the second slot of those that it takes of its channel. */
const inChannel = (before: number, behind: number): number =>
  before - Math.min(before - 1, 1) + Math.min(behind - 1, 1);
const inGroup = (before: number): number => before;

const runs = { numRuns: 40 };

/** A group that is late moves an album of a channel behind the time that was promised to the post after it. */
const lateGroup: Setting = {
  groupRates: [2.512],
  channels: [{ rate: 5.023, group: 0, parallel: 4, backlog: 1, albums: 2 }],
  steps: [
    { wait: 0, limit: 1, arrivals: 0, finishes: false, messages: null },
    { wait: 231, limit: 2, arrivals: 1, finishes: false, messages: null },
    { wait: 532, limit: 2, arrivals: 1, finishes: true, messages: null },
    { wait: 824, limit: 2, arrivals: 0, finishes: false, messages: null },
    { wait: 205, limit: 1, arrivals: 0, finishes: false, messages: null },
  ],
};
const timeout = 120_000;

describe('whatever the rates, backlogs and times of claims', () => {
  it(
    'calls of a channel are never closer than its rate allows, nor those of a group, albums and further calls included',
    async () => {
      await fc.assert(
        fc.asyncProperty(setting, async (given) => {
          await play(given, ({ certain }) => {
            for (const [index, channel] of given.channels.entries()) {
              const own = certain.filter((each) => each.channelId === `c${index}`);
              const times = own.map((each) => [each.at, each.weight] as const);
              expect(areApart(times, channel.rate, inChannel)).toBe(true);
            }
            for (const [index, groupRate] of given.groupRates.entries()) {
              const shared = certain.filter((each) => each.rateGroup === `g${index}`);
              const times = shared.map((each) => [each.at, each.weight] as const);
              expect(areApart(times, groupRate, inGroup)).toBe(true);
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
          await play(given, ({ slots, now }) => {
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
    'the slots of a channel are in order of arrival, as far as its posts count alike',
    async () => {
      await fc.assert(
        fc.asyncProperty(setting, async (given) => {
          await play(given, ({ slots }) => {
            for (const index of given.channels.keys()) {
              const own = slots.filter(
                (each) => each.channel_id === `c${index}` && each.is_certain,
              );
              for (const alike of Map.groupBy(own, (each) => each.weight).values()) {
                const times = alike.map((each) => each.slot);
                expect(times).toEqual(times.toSorted((x, y) => x - y));
              }
            }
          });
        }),
        { ...runs, examples: [[lateGroup]] },
      );
    },
    timeout,
  );

  it(
    'what is being sent and what rests in a channel never exceeds its max_parallel',
    async () => {
      await fc.assert(
        fc.asyncProperty(setting, async (given) => {
          await play(given, ({ slots }) => {
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
