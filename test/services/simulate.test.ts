import { describe, expect, it } from 'vitest';
import { compare } from '../../src/simulate/differences.ts';
import { type SimulationOptions, simulate } from '../../src/simulate/simulate.ts';
import { summaryOf } from '../../src/simulate/summary.ts';
import { start } from '../support/database/seed.ts';
import { useConnections } from '../support/simulate/connections.ts';

const { clients, database } = await useConnections();
const begin = Date.parse(start); // a Monday, 10:00 UTC

type Columns = Readonly<Record<string, unknown>>;

/** Posts to channels of one bot without a pace, with room for 100 sends, unless `columns` differ. */
async function simulated(
  columns: Readonly<Record<string, Columns>>,
  given: Partial<SimulationOptions> & { readonly posts?: number; readonly groupRps?: number } = {},
) {
  const { posts = 10, groupRps = 0, ...options } = given;
  const channels = Object.entries(columns).map(([id, own], n) => {
    const common = { platform: 'telegram', target_id: String(-100 - n), auth_ref: 'bot' };
    return [id, { ...common, rate_rps: null, max_parallel: 100, ...own }] as const;
  });
  const platforms = [...new Set(channels.map(([, { platform }]) => platform))];
  const limits = platforms.map((name) => [name, { bot: { rate_rps: groupRps } }] as const);
  const [first = 'telegram'] = platforms;
  const document = {
    credentials: { bot: { platform: first, secret_ref: 'env:TOKEN' } },
    rate_groups: Object.fromEntries(limits),
    channels: Object.fromEntries(channels),
  };
  return simulate({
    clients,
    name: database.newWorkspaceId(),
    configuration: { document, earlierTemplates: [] },
    changes: [],
    arrivals: Array.from({ length: posts }, (_, n) => ({ at: begin, post: { text: `Post ${n}` } })),
    media: {},
    durationOf: () => 100,
    faultsOf: () => undefined,
    retryAfterMs: 5000,
    timeoutMs: 20_000,
    places: 450,
    horizonMs: 30 * 86_400_000,
    ...options,
  });
}

describe('a simulation names the limit that holds the last delivery up', () => {
  it('the pace of a rate group that several channels share', async () => {
    const { asItIs } = await simulated({ a: {}, b: {} }, { groupRps: 2 });
    const { bottleneck, makespanMs } = summaryOf(asItIs);
    expect(bottleneck).toMatchObject({ limit: 'group_pace', name: 'telegram/bot', value: 2 });
    expect(makespanMs).toBe(19 * 500 + 100); // 20 deliveries, half a second apart
  });

  it('the pace of a channel that is slower than its group', async () => {
    const { asItIs } = await simulated({ a: {}, slow: { rate_rps: 0.5 } }, { groupRps: 20 });
    const { bottleneck, makespanMs, lastChannel } = summaryOf(asItIs);
    expect({ limit: bottleneck?.limit, lastChannel }).toEqual({
      limit: 'channel_pace',
      lastChannel: 'slow',
    });
    expect(makespanMs).toBeGreaterThanOrEqual(18_100);
    expect(makespanMs).toBeLessThan(18_300);
  });

  it('the parallel limit of a channel whose calls take long', async () => {
    const { asItIs } = await simulated({ a: { max_parallel: 2 } }, { durationOf: () => 3000 });
    const { bottleneck, makespanMs } = summaryOf(asItIs);
    expect(bottleneck).toMatchObject({ limit: 'parallel_limit', name: 'a', value: 2 });
    expect(makespanMs).toBe(15_000);
  });

  it('the places of the sender', async () => {
    const { asItIs } = await simulated({ a: {}, b: {} }, { places: 4, durationOf: () => 1000 });
    const { bottleneck, makespanMs } = summaryOf(asItIs);
    expect(bottleneck?.limit).toBe('places');
    expect(makespanMs).toBe(5000);
  });

  it('a posting window', async () => {
    const posting_window = { mon: [['12:00', '13:00']] };
    const window = { window_mode: 'windowed', timezone: 'UTC', posting_window };
    const { asItIs } = await simulated({ a: {}, noon: window });
    const { bottleneck, lastSentAt } = summaryOf(asItIs);
    expect(bottleneck).toMatchObject({ limit: 'posting_window', name: 'noon' });
    expect(lastSentAt).toBeGreaterThanOrEqual(begin + 2 * 3_600_000);
    expect(lastSentAt).toBeLessThan(begin + 2 * 3_600_000 + 1000);
  });

  it('rate limits that the platform answers with', async () => {
    const { asItIs } = await simulated(
      { a: { max_parallel: 1 } },
      { retryAfterMs: 60_000, faultsOf: ({ call }) => (call === 3 ? '429' : undefined) },
    );
    const { bottleneck, makespanMs, attempts } = summaryOf(asItIs);
    expect(bottleneck).toMatchObject({ limit: 'cooldown', name: 'telegram/bot' });
    expect(makespanMs).toBeGreaterThan(60_000);
    expect(attempts).toBe(11);
  });
});

it('a simulation uses a short posting window to its end, however far ahead it is', async () => {
  const posting_window = { tue: [['00:00', '00:01']] };
  const window = { window_mode: 'windowed', timezone: 'UTC', posting_window };
  const short = { ...window, rate_rps: 0.6, max_parallel: 1 };
  const { asItIs } = await simulated({ short }, { posts: 36 });
  const opens = 14 * 3_600_000;
  expect(summaryOf(asItIs).makespanMs).toBeGreaterThan(opens + 58_000);
  expect(summaryOf(asItIs).makespanMs).toBeLessThan(opens + 60_000);
});

describe('a comparison of two runs', () => {
  it('tells what is added, lost, suppressed and rendered differently', async () => {
    const changes = [
      {
        document: {
          templates: { short: { body: 'News: {{text}}' } },
          channels: {
            lost: { enabled: false },
            added: { route_filter: null },
            repeated: { dedup_ttl_hours: 168 },
            shown: { template_ref: 'short' },
          },
        },
        refusal: (error: unknown) => error,
      },
    ];
    const hour = 3_600_000;
    const arrivals = [0, 2 * hour].map((ms) => ({ at: begin + ms, post: { text: 'A dog' } }));
    const { asItIs, changed } = await simulated(
      {
        lost: {},
        added: { route_filter: { include_any: ['cats'] } },
        repeated: { dedup_ttl_hours: 1 },
        shown: {},
        same: {},
      },
      { arrivals, changes },
    );
    if (changed === undefined) throw new Error('it ran once');
    const { differences, same } = compare(asItIs, changed);
    expect(differences.map(({ kind, post, channelId }) => [kind, post, channelId])).toEqual([
      ['added', 0, 'added'],
      ['lost', 0, 'lost'],
      ['rendered', 0, 'shown'],
      ['suppressed', 1, 'repeated'],
    ]);
    expect(same).toBe(2);
    expect(compare(asItIs, asItIs).differences).toEqual([]);
  });
});

describe('a simulation', () => {
  it('says what a second token changes', async () => {
    const second = {
      document: {
        credentials: { bot2: { platform: 'telegram', secret_ref: 'env:OTHER' } },
        rate_groups: { telegram: { bot2: { rate_rps: 2 } } },
        channels: { b: { auth_ref: 'bot2' } },
      },
      refusal: (error: unknown) => error,
    };
    const { asItIs, changed } = await simulated(
      { a: {}, b: {} },
      { groupRps: 2, changes: [second] },
    );
    if (changed === undefined) throw new Error('it ran once');
    expect(summaryOf(asItIs).makespanMs).toBe(9600);
    expect(summaryOf(changed).makespanMs).toBe(4600);
  });

  it('lets further calls of a post take slots of their own', async () => {
    const url = 'https://example.org/photo.jpg';
    const arrivals = [{ at: begin, post: { text: 'Photo', media: [{ type: 'image', url }] } }];
    const { asItIs } = await simulated({ wall: { platform: 'vk' } }, { groupRps: 1, arrivals });
    // Two counted calls for the upload, then the post: at 0, 1 and 2 s, and the last one takes 100 ms.
    expect(summaryOf(asItIs).makespanMs).toBeGreaterThanOrEqual(2100);
    expect(summaryOf(asItIs).makespanMs).toBeLessThan(2150);
  });

  it('says how deep the queue gets, and when', async () => {
    const arrivals = [0, 0, 60_000].map((ms, n) => ({ at: begin + ms, post: { text: `P ${n}` } }));
    const { asItIs } = await simulated(
      { a: { rate_rps: 0.1 }, b: { rate_rps: 0.1 } },
      { arrivals },
    );
    const { deepest, series } = summaryOf(asItIs);
    expect(deepest).toEqual({ at: begin, waiting: 4, sent: 0 });
    expect(series.at(-1)).toMatchObject({ waiting: 0, sent: 6 });
  });

  it('ends when nothing can go out any more, and says what still waits', async () => {
    const { asItIs } = await simulated(
      { a: { max_parallel: 1 } },
      { faultsOf: () => 'kicked', horizonMs: 86_400_000 },
    );
    const { deliveries, lastSentAt } = summaryOf(asItIs);
    expect(lastSentAt).toBeNull();
    expect(deliveries).toMatchObject({ made: 10, sent: 0, failed: 3, waiting: 7 });
  });

  it('gives the same answer twice', async () => {
    const faultsOf: SimulationOptions['faultsOf'] = ({ call }) =>
      call % 7 === 3 ? 'timeout' : undefined;
    const once = async () => {
      const { asItIs } = await simulated(
        { a: { max_parallel: 3 }, b: {} },
        { groupRps: 5, faultsOf },
      );
      return asItIs.deliveries.map(({ post, channelId, sentAt }) => [post, channelId, sentAt]);
    };
    expect(await once()).toEqual(await once());
  });
});
