import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { platforms } from '../../src/adapters/platforms.ts';
import { capacityOf } from '../../src/cli/capacity/capacity.ts';
import { figures } from '../../src/cli/capacity/figures.ts';
import { workloadOf } from '../../src/cli/capacity/options.ts';
import { amount } from '../../src/cli/capacity/screen.ts';
import type { Workload } from '../../src/cli/capacity/workload.ts';
import { channelsIn } from '../../src/cli/capacity/workspace-channels.ts';
import { connections, connectionsOfUp } from '../../src/roles/connections.ts';

const example = workloadOf({});

function useOf(workload: Workload): Record<string, number> {
  return Object.fromEntries(capacityOf(workload).parts.map(({ part, use }) => [part, use]));
}

function withChannels(platform: string, channels: number, groups = 1): Workload {
  const channelRps = 1;
  return { ...example, platforms: [{ platform, channels, groups, channelRps }] };
}

describe('a capacity', () => {
  it('counts a delivery for each channel of each post, and the peak of the day', () => {
    const load = { ...withChannels('telegram', 40), postsPerDay: 864, peak: 5, share: 0.5 };
    expect(capacityOf(load)).toMatchObject({ deliveriesPerDay: 17_280, deliveriesPerSecond: 1 });
  });

  it('spends the rate of a group on the channels that share it', () => {
    const load = { ...withChannels('telegram', 35), postsPerDay: 86_400, peak: 1 };
    expect(useOf(load)['telegram_rate_group']).toBeCloseTo(2);
    expect(useOf({ ...load, ...withGroups(load, 2) })['telegram_rate_group']).toBeCloseTo(
      18 / 17.5,
    );
  });

  it('counts the items of an album on Telegram, and uploads on the others', () => {
    const album = { postsPerDay: 86_400, peak: 1, mediaShare: 1, album: 4 };
    const calls = (platform: string): number | undefined =>
      capacityOf({ ...withChannels(platform, 10), ...album }).parts.find(
        ({ part }) => part === `${platform}_rate_group`,
      )?.used;
    expect(platforms.map(({ name }) => calls(name))).toEqual([40, 14, 18]);
  });

  it('takes the posts of a wall by the day, whatever the peak', () => {
    const load = { ...withChannels('vk', 3), postsPerDay: 100 };
    expect(useOf({ ...load, peak: 1 })['vk_posts_of_a_day']).toBe(2);
    expect(useOf({ ...load, peak: 9 })['vk_posts_of_a_day']).toBe(2);
  });

  it('has no channel pace where none is configured', () => {
    const [first] = example.platforms;
    const free = { ...example, platforms: first ? [{ ...first, channelRps: null }] : [] };
    expect(useOf(free)).not.toHaveProperty('telegram_channel_pace');
  });

  it('has the part that is used most as its limit, and connections only when they are used up', () => {
    const { parts, limit } = capacityOf(example);
    expect(limit.use).toBe(Math.max(...parts.filter((each) => each.grows).map((each) => each.use)));
    expect(capacityOf({ ...example, processes: 4 }).limit.part).not.toBe('connections');
    expect(capacityOf({ ...example, processes: 5 }).limit.part).toBe('connections');
  });

  it('says how far apart the first and the last channel of a post are', () => {
    expect(capacityOf(withChannels('max', 1)).spreadSeconds).toBe(0);
    expect(capacityOf(withChannels('max', 101)).spreadSeconds).toBe(4);
    expect(capacityOf(withChannels('max', 101, 4)).spreadSeconds).toBe(1);
  });
});

function round(value: number, to = 1): number {
  return Math.round(value / to) * to;
}

function withGroups({ platforms: all }: Workload, groups: number): Pick<Workload, 'platforms'> {
  return { platforms: all.map((each) => ({ ...each, groups })) };
}

describe('any workload', () => {
  const channels = fc.record({
    platform: fc.constantFrom(...platforms.map(({ name }) => name)),
    channels: fc.integer({ min: 1, max: 5000 }),
    groups: fc.integer({ min: 1, max: 20 }),
    channelRps: fc.option(fc.double({ min: 0.01, max: 100, noNaN: true })),
  });
  const workload: fc.Arbitrary<Workload> = fc.record({
    platforms: fc.uniqueArray(channels, { minLength: 1, selector: (each) => each.platform }),
    workspaces: fc.integer({ min: 1, max: 1000 }),
    postsPerDay: fc.integer({ min: 1, max: 1_000_000 }),
    share: fc.double({ min: 0.001, max: 1, noNaN: true }),
    peak: fc.double({ min: 1, max: 100, noNaN: true }),
    mediaShare: fc.double({ min: 0, max: 1, noNaN: true }),
    album: fc.integer({ min: 1, max: 10 }),
    historyDays: fc.integer({ min: 1, max: 3650 }),
    diskBytes: fc.integer({ min: 1e9, max: 1e13 }),
    processes: fc.integer({ min: 1, max: 100 }),
    concurrency: fc.integer({ min: 1, max: 10_000 }),
    answerMs: fc.integer({ min: 1, max: 60_000 }),
    endpoints: fc.integer({ min: 1, max: 100 }),
    ingressRps: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    cores: fc.integer({ min: 1, max: 128 }),
    maxConnections: fc.integer({ min: 10, max: 10_000 }),
  });

  it.each<[string, (load: Workload, more: number) => Workload]>([
    ['posts', (load, more) => ({ ...load, postsPerDay: load.postsPerDay + more })],
    ['workspaces', (load, more) => ({ ...load, workspaces: load.workspaces + more })],
    ['of a peak', (load, more) => ({ ...load, peak: load.peak + more })],
    ['media', (load, more) => ({ ...load, album: Math.min(10, load.album + more) })],
    ['posts with media', (load) => ({ ...load, mediaShare: Math.min(1, load.mediaShare * 2) })],
    ['channels for a post', (load) => ({ ...load, share: Math.min(1, load.share * 2) })],
    ['history', (load, more) => ({ ...load, historyDays: load.historyDays + more })],
    ['waiting for answers', (load, more) => ({ ...load, answerMs: load.answerMs + more })],
    [
      'channels',
      (load, more) => ({
        ...load,
        platforms: load.platforms.map((each) => ({ ...each, channels: each.channels + more })),
      }),
    ],
  ])('uses no part less when there are more %s', (_, grown) => {
    fc.assert(
      fc.property(workload, fc.integer({ min: 1, max: 1000 }), (load, more) => {
        const after = useOf(grown(load, more));
        const less = Object.entries(useOf(load)).filter(
          ([part, use]) => (after[part] ?? 0) < use * (1 - 1e-9),
        );
        expect(less).toEqual([]);
      }),
    );
  });

  it.each<[string, (load: Workload) => Workload]>([
    ['cores', (load) => ({ ...load, cores: load.cores * 2 })],
    ['disk', (load) => ({ ...load, diskBytes: load.diskBytes * 2 })],
    ['endpoints', (load) => ({ ...load, endpoints: load.endpoints * 2 })],
    ['connections', (load) => ({ ...load, maxConnections: load.maxConnections * 2 })],
    ['sends at once', (load) => ({ ...load, concurrency: load.concurrency * 2 })],
    ['credentials', (load) => ({ ...load, ...withGroups(load, 1000) })],
  ])('uses no part more when there are more %s', (_, given) => {
    fc.assert(
      fc.property(workload, (load) => {
        const after = useOf(given(load));
        const more = Object.entries(useOf(load)).filter(
          ([part, use]) => (after[part] ?? Infinity) > use * (1 + 1e-9),
        );
        expect(more).toEqual([]);
      }),
    );
  });

  it('is carried up to the posts a day that it is said to be', () => {
    fc.assert(
      fc.property(workload, (load) => {
        const { mostPostsPerDay } = capacityOf(load);
        const grows = (postsPerDay: number): number[] =>
          capacityOf({ ...load, postsPerDay })
            .parts.filter((each) => each.grows)
            .map((each) => each.use);
        fc.pre(mostPostsPerDay >= 1);
        expect(Math.max(...grows(mostPostsPerDay))).toBeLessThanOrEqual(1 + 1e-9);
        expect(Math.max(...grows(mostPostsPerDay + 2))).toBeGreaterThan(1);
      }),
    );
  });
});

describe('the channels of a workspace', () => {
  const channel = { platform: 'telegram', enabled: true, rateGroup: 'bot', rateRps: 0.6 };

  it('are counted by platform and rate group, at the pace of the slowest', () => {
    const listed = [
      channel,
      { ...channel, rateRps: 0.3 },
      { ...channel, rateGroup: 'other', rateRps: null },
      { ...channel, platform: 'vk', rateRps: 0 },
      { ...channel, enabled: false },
      { ...channel, platform: 'elsewhere' },
    ];
    expect(channelsIn(listed)).toEqual([
      { platform: 'telegram', channels: 3, groups: 2, channelRps: 0.3 },
      { platform: 'vk', channels: 1, groups: 1, channelRps: null },
    ]);
  });
});

describe('an amount', () => {
  it.each([
    [0, '0'],
    [40, '40'],
    [1234.5, '1,235'],
    [12.34, '12.3'],
    [0.0463, '0.046'],
    [0.000_043_7, '0.000044'],
  ])('of %d is written %s', (value, words) => {
    expect(amount(value)).toBe(words);
  });
});

describe('docs/scaling.md', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/scaling.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('|'));

  it.each(Object.entries(figures))('has the figure %s, with its source', (_, figure) => {
    const written = `| ${amount(figure.value)} ${figure.unit} | ${figure.source} |`;
    expect(rows.filter((row) => row.endsWith(written))).toHaveLength(1);
  });

  it('draws its conclusions from the figures', () => {
    const perSecond = figures.sendsPerProcess.value;
    const perDay = perSecond * 86_400;
    const carried = (name: string, channels: number): number =>
      capacityOf(withChannels('telegram', channels)).parts.find(({ part }) => part === name)
        ?.carries ?? 0;
    const prose = page.replaceAll(/\s+/g, ' ');
    for (const conclusion of [
      `about ${amount(round(perSecond, 100))} with one sending process`,
      `${round(perDay / 1e6)} million if every second is like that`,
      `${round(perDay / 5e6)} million with a peak of five times`,
      `grow by ${round(((perDay / 5) * figures.deliveryBytes.value) / 1e9)} GB a day`,
      `${round(carried('endpoint_in_turn', 40))} posts a second if each goes to 40 channels`,
      `about ${round(carried('endpoint_in_turn', 1000))} a second if each goes to 1,000`,
      `some ${round(perSecond / carried('telegram_rate_group', 1), 10)} bots`,
      `${amount(round(perSecond, 100))} deliveries a second write ${round((perSecond * figures.deliveryLogBytes.value) / 1e6)} MB of log`,
    ])
      expect(prose).toContain(conclusion);
  });

  it.each([
    [
      'docs/scaling.md',
      'A process of `up` has at most %up connections, one of `run ingest` %ingest, one of `run dispatch` %dispatch, and each %status more',
    ],
    [
      'docs/operations.md',
      '`run ingest` has at most %ingest, `run dispatch` %dispatch, `run adapters` %adapters, `up` %up, and each %status more while somebody looks at its status page; `publish` has %publish;',
    ],
  ])('counts the connections of a process: %s', (file, words) => {
    const { intake, claims, outcomes, publish, status } = connections;
    const most: Readonly<Record<string, number>> = {
      ingest: intake,
      dispatch: claims + outcomes + 1,
      adapters: intake + claims + outcomes,
      up: connectionsOfUp - status,
      publish: publish + 1,
      status,
    };
    const counted = words.replaceAll(/%(\w+)/g, (_, name: string) => String(most[name]));
    const prose = readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');
    expect(prose.replaceAll(/\s+/g, ' ')).toContain(counted);
  });
});
