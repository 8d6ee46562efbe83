// The workload that a command line describes.

import { UsageError } from '../command.ts';
import { text } from '../given/options.ts';
import { platformNames as names } from '../screen/platform-words.ts';
import { paceOf } from './pace-of.ts';
import type { PlatformChannels, Workload } from './workload.ts';

export const workloadOptions = {
  channels: text,
  platform: text,
  bots: text,
  workspaces: text,
  'posts-per-day': text,
  'channels-per-post': text,
  peak: text,
  media: text,
  album: text,
  'history-days': text,
  disk: text,
  processes: text,
  concurrency: text,
  'answer-ms': text,
  endpoints: text,
  'ingress-rps': text,
  cores: text,
  'max-connections': text,
} as const;

/** How many channels there are of each platform, by its name. */
export const channelOptions = Object.fromEntries(names.map((name) => [name, text]));

type Given = { readonly [Name in keyof typeof workloadOptions]?: string | undefined };

/** The values of options that the command line does not give. */
export const defaults = {
  bots: 1,
  workspaces: 1,
  'posts-per-day': 100,
  'channels-per-post': '100%',
  peak: 5,
  media: '30%',
  album: 1,
  'history-days': 90,
  disk: 100,
  processes: 1,
  concurrency: 500,
  'answer-ms': 300,
  endpoints: 1,
  'ingress-rps': 5,
  cores: 2,
  'max-connections': 100,
} as const;

/** The platform of `--channels` when `--platform` names none. */
export const defaultPlatform = 'telegram';

/** How many channels each platform has when none are given: a newsroom of forty. */
export const defaultChannels: Readonly<Record<string, number>> = { telegram: 24, max: 16 };

/** The channels may be known already, from a workspace. */
export function workloadOf(given: Given, known?: readonly PlatformChannels[]): Workload {
  if (known !== undefined) refuseCounts(given);
  const channels = known ?? channelsOf(given);
  const count = channels.reduce((sum, each) => sum + each.channels, 0);
  if (count === 0) throw new UsageError('there is no channel to send to');
  const number = (name: keyof Given & keyof typeof defaults, limits: Limits): number =>
    numberOf(name, given[name] ?? String(defaults[name]), limits);
  return {
    platforms: channels,
    workspaces: number('workspaces', { from: 1, to: 1_000_000, whole: true }),
    postsPerDay: number('posts-per-day', { from: 1, to: 1e9 }),
    share: shareOfChannels(given['channels-per-post'] ?? defaults['channels-per-post'], count),
    peak: number('peak', { from: 1, to: 1000 }),
    mediaShare: percentage('media', given.media ?? defaults.media),
    album: number('album', { from: 1, to: 10, whole: true }),
    historyDays: number('history-days', { from: 1, to: 36_500 }),
    diskBytes: number('disk', { from: 1, to: 1_000_000 }) * 1e9,
    processes: number('processes', { from: 1, to: 10_000, whole: true }),
    concurrency: number('concurrency', { from: 1, to: 10_000, whole: true }),
    answerMs: number('answer-ms', { from: 1, to: 600_000 }),
    endpoints: number('endpoints', { from: 1, to: 10_000, whole: true }),
    ingressRps: number('ingress-rps', { from: 0.000_001, to: 1_000_000 }),
    cores: number('cores', { from: 1, to: 1024 }),
    maxConnections: number('max-connections', { from: 10, to: 262_143, whole: true }),
  };
}

/** Beside a workspace, which brings its own channels, their number cannot be given. */
function refuseCounts(given: Given): void {
  const counts = ['channels', 'platform', ...names, 'bots'];
  const [name] = counts.filter((each) => valueOf(given, each) !== undefined);
  if (name === undefined) return;
  throw new UsageError(`--workspace has channels of its own; leave --${name} out`);
}

/** `--channels` of one platform, or a number for each platform. */
function channelsOf(given: Given): PlatformChannels[] {
  const named = names.filter((each) => valueOf(given, each) !== undefined);
  const [first] = named;
  if (given.channels !== undefined && first !== undefined) {
    throw new UsageError(`--channels and --${first} contradict each other: give one of them`);
  }
  if (given.platform !== undefined && given.channels === undefined) {
    throw new UsageError('--platform says where the --channels are; how many are there?');
  }
  const limits = { from: 0, to: 10_000_000, whole: true };
  const groups = numberOf('bots', given.bots ?? String(defaults.bots), { ...limits, from: 1 });
  const counts = new Map<string, number>();
  if (given.channels !== undefined) {
    const count = numberOf('channels', given.channels, { ...limits, from: 1 });
    counts.set(platformOf(given.platform ?? defaultPlatform), count);
  } else {
    const chosen = named.length === 0 ? names : named;
    for (const platform of chosen) {
      const count = valueOf(given, platform) ?? String(defaultChannels[platform] ?? 0);
      counts.set(platform, numberOf(platform, count, limits));
    }
  }
  return [...counts]
    .filter(([, channels]) => channels > 0)
    .map(([platform, channels]) => ({
      platform,
      channels,
      groups: Math.min(groups, channels),
      channelRps: paceOf(platform).channelRps,
    }));
}

/** The value of an option whose name comes from the list of platforms. */
function valueOf(given: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

function platformOf(given: string): string {
  if (names.includes(given)) return given;
  throw new UsageError(`--platform ${given}: there are ${names.join(', ')}`);
}

interface Limits {
  readonly from: number;
  readonly to: number;
  readonly whole?: boolean;
}

function numberOf(name: string, given: string, { from, to, whole = false }: Limits): number {
  const value = /^\d{1,15}(\.\d{1,6})?$/.test(given) ? Number(given) : Number.NaN;
  if (value >= from && value <= to && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new UsageError(`--${name} ${given}: it is ${kind} from ${from} to ${to}`);
}

/** `12` channels, or `30%` of them. */
function shareOfChannels(given: string, channels: number): number {
  if (given.endsWith('%')) {
    const share = percentage('channels-per-post', given);
    if (share > 0) return share;
    throw new UsageError(`--channels-per-post ${given}: a post goes to some channels`);
  }
  const limits = { from: 0.000_001, to: 10_000_000 };
  const count = numberOf('channels-per-post', given, limits);
  if (count <= channels) return count / channels;
  throw new UsageError(`--channels-per-post ${given}: there are only ${channels} channels`);
}

function percentage(name: string, given: string): number {
  if (!given.endsWith('%')) throw new UsageError(`--${name} ${given}: it is a share such as 30%`);
  return numberOf(name, given.slice(0, -1), { from: 0, to: 100 }) / 100;
}
