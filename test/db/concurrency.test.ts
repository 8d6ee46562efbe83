import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addWorkspace, setGroup } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Ending,
  type Handover,
  runTraffic,
  type TrafficLog,
} from '../support/queue/traffic.ts';

const workspaceId = 'busy';

const groups = [
  { platform: 'telegram', rate_group: 'bot-a', rate_rps: 120 },
  { platform: 'telegram', rate_group: 'bot-b', rate_rps: 75 },
  { platform: 'max', rate_group: 'bot', rate_rps: 90 },
  { platform: 'vk', rate_group: 'community', rate_rps: null },
] as const;

/** Forty channels, ten in each group; every rate occurs with every max_parallel. */
const channels = Array.from({ length: 40 }, (_, index) => ({
  channel_id: `c${String(index).padStart(2, '0')}`,
  ...cycle(groups, index),
  rate_rps: cycle([null, 15, 30, 7, 60], Math.floor(index / 4)),
  max_parallel: cycle([3, 20, 8], index),
}));

const database = await useDatabase();
let log: TrafficLog;

beforeAll(async () => {
  await addWorkspace(database.admin, workspaceId, {
    sending_lease: '30 seconds',
    claimed_lease: '2 seconds',
    recovery_backoff: '1 second',
    pause_on_permanent_for: '2 seconds',
    group_cooldown: '500 milliseconds',
  });
  for (const { channel_id, ...columns } of channels) {
    await addChannel(database.admin, workspaceId, channel_id, columns);
  }
  for (const group of groups) {
    await setGroup(database.admin, workspaceId, group);
  }
  const channelIds = channels.map((channel) => channel.channel_id);
  const plan = { workspaceId, channelIds, claimers: 8, committers: 4, batches: 20 };
  log = await runTraffic(database, plan);
}, 120_000);

function cycle<T>(choices: readonly T[], index: number): T {
  const chosen = choices[index % choices.length];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}

/** A time in microseconds. */
function micros(time: string): number {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?\+00$/.exec(time) ?? [];
  return Date.parse(`${seconds.replace(' ', 'T')}Z`) * 1000 + Number(fraction.padEnd(6, '0'));
}

/** Whether a slot follows the one before it sooner than the rate allows. */
function areTooClose(handovers: readonly Handover[], rate: number): boolean {
  const slots = handovers.map((each) => micros(each.notBefore)).toSorted((a, b) => a - b);
  return slots.some((slot, index) => index > 0 && slot - (slots[index - 1] ?? 0) < 1e6 / rate);
}

/** The ending of each handover: the commit with its token, or a recovery if there is none. */
function endingsOf(
  handovers: readonly Handover[],
  endings: readonly Ending[],
): Map<Handover, Ending> {
  const left = new Set(endings);
  const found = new Map<Handover, Ending>();
  for (const byToken of [true, false]) {
    for (const handover of handovers.filter((each) => !found.has(each))) {
      const token = byToken ? handover.claimToken : undefined;
      const ending = [...left].find((each) => each.claimToken === token);
      if (ending === undefined) continue;
      left.delete(ending);
      found.set(handover, ending);
    }
  }
  return found;
}

function byDelivery<T extends { deliveryId: string }>(list: readonly T[]): Map<string, T[]> {
  return Map.groupBy(list, (each) => each.deliveryId);
}

describe('eight claimers, forty channels, twenty thousand deliveries', () => {
  it('meet no deadlock and no other fault', () => {
    expect(log.faults).toEqual([]);
  });

  it('meet retries, failures, expired leases, cooldowns, pauses and late commits', async () => {
    const found = await queryRows(
      database.admin,
      z.object({ action: z.string() }),
      'select distinct action::text from outrider.events where workspace_id = $1',
      [workspaceId],
    );
    expect(found.map((each) => each.action)).toEqual(
      expect.arrayContaining([
        'retry_scheduled',
        'failed_permanent',
        'dead_letter',
        'sending_lease_expired',
        'group_cooled_down',
        'channel_paused',
        'channel_disabled',
        'claim_returned',
      ]),
    );
    expect(log.stale.length).toBeGreaterThan(0);
  });

  it('are handed each attempt of a delivery once, and skip none', () => {
    const wrong = [...byDelivery(log.handovers)].filter(([, handovers]) => {
      const attempts = handovers.map((each) => each.attempt).toSorted((a, b) => a - b);
      return attempts.some((attempt, index) => attempt !== index + 1);
    });
    expect(wrong).toEqual([]);
  });

  it('are handed a delivery again only after the attempt before has ended', () => {
    const endings = byDelivery(log.endings);
    const wrong = log.handovers.filter((handover) => {
      const ended = endings.get(handover.deliveryId)?.filter((each) => each.from < handover.at);
      return (ended?.length ?? 0) < handover.attempt - 1;
    });
    expect(wrong).toEqual([]);
  });

  it('end each attempt once', () => {
    const handovers = byDelivery(log.handovers);
    const wrong = [...byDelivery(log.endings)].filter(
      ([deliveryId, endings]) => endings.length !== handovers.get(deliveryId)?.length,
    );
    expect(wrong).toEqual([]);
    expect(log.endings).toHaveLength(log.handovers.length);
  });

  it('never send more at once in a channel than max_parallel', () => {
    const endings = byDelivery(log.endings);
    const ends = new Map(
      [...byDelivery(log.handovers)].flatMap(([id, handovers]) => [
        ...endingsOf(handovers, endings.get(id) ?? []),
      ]),
    );
    const peaks = channels.map((channel) => {
      const moves = log.handovers
        .filter((each) => each.channelId === channel.channel_id)
        .flatMap((each) => {
          const until = ends.get(each)?.from ?? Number.POSITIVE_INFINITY;
          return until < each.at
            ? []
            : [
                { at: each.at, by: 1 },
                { at: until + 0.5, by: -1 },
              ];
        })
        .toSorted((a, b) => a.at - b.at);
      let open = 0;
      const peak = Math.max(...moves.map((move) => (open += move.by)));
      return { channel, peak };
    });
    expect(peaks.filter(({ channel, peak }) => peak > channel.max_parallel)).toEqual([]);
  });

  it('use no two slots of a channel closer than its rate', () => {
    const tooFast = channels.filter(({ channel_id, rate_rps }) => {
      const handovers = log.handovers.filter((each) => each.channelId === channel_id);
      return rate_rps !== null && areTooClose(handovers, rate_rps);
    });
    expect(tooFast).toEqual([]);
  });

  it('use no two slots of a rate group closer than its rate', () => {
    const tooFast = groups.filter(({ platform, rate_group, rate_rps }) => {
      const members = channels.filter(
        (each) => each.platform === platform && each.rate_group === rate_group,
      );
      const names = new Set(members.map((each) => each.channel_id));
      const handovers = log.handovers.filter((each) => names.has(each.channelId));
      return rate_rps !== null && areTooClose(handovers, rate_rps);
    });
    expect(tooFast).toEqual([]);
  });

  it('keep deliveries, leases and the queue in agreement whenever somebody looks', () => {
    expect(log.counts.length).toBeGreaterThan(10);
    const wrong = log.counts.filter(
      ({ sending, held, waiting, queue, strays, crowded }) =>
        sending !== held || waiting !== queue || strays > 0 || crowded > 0,
    );
    expect(wrong).toEqual([]);
  });

  it('bring every delivery to an end within its attempts', async () => {
    const row = z.object({ status: z.string(), deliveries: z.number(), attempts: z.number() });
    const ended = await queryRows(
      database.admin,
      row,
      // An attempt that its platform only told to wait does not count: it raised the limit by one.
      `select status::text, count(*)::int as deliveries, max(attempt - (attempt_limit - 5)) as attempts
       from outrider.deliveries where workspace_id = $1 group by status order by status`,
      [workspaceId],
    );
    expect(ended.map((each) => each.status)).toEqual(['dead', 'failed_permanent', 'sent']);
    expect(ended.reduce((sum, each) => sum + each.deliveries, 0)).toBe(20_000);
    expect(Math.max(...ended.map((each) => each.attempts))).toBe(5);
  });

  it('leave neither leases nor queue rows behind', async () => {
    const { rows } = await database.admin.query(
      `select (select count(*)::int from outrider.leases) as leases,
         (select count(*)::int from outrider.delivery_queue) as queue`,
    );
    expect(rows).toEqual([{ leases: 0, queue: 0 }]);
  });

  it('write one event for the start and one for the end of each attempt', async () => {
    const row = z.object({ begun: z.number(), ended: z.number(), attempts: z.number() });
    const found = await queryRows(
      database.admin,
      row,
      `select begun, ended, count(*)::int as attempts from (
         select
           count(*) filter (where action = 'send_attempt')::int as begun,
           count(*) filter (where action in
             ('sent', 'retry_scheduled', 'failed_permanent', 'sending_lease_expired')
             or (action = 'dead_letter' and error ->> 'message' is distinct from 'the sender went away')
           )::int as ended
         from outrider.events
         where workspace_id = $1 and delivery_id is not null and attempt > 0
         group by delivery_id, attempt
       ) per_attempt
       group by begun, ended`,
      [workspaceId],
    );
    expect(found).toEqual([{ begun: 1, ended: 1, attempts: log.handovers.length }]);
  });
});
