// The parts that can be the limit: what a workload uses of each, and what it carries.

import { connectionsOfUp } from '../../roles/connections.ts';
import type { Figures } from './figures.ts';
import { paceOf } from './pace-of.ts';
import type { PlatformChannels, Workload } from './workload.ts';

export interface Part {
  /** Such as `telegram_rate_group`. */
  readonly part: string;
  readonly used: number;
  readonly carries: number;
  readonly unit: string;
  /** `used` divided by `carries`; above 1 the part does not carry the workload. */
  readonly use: number;
  /** Whether it is used more at peak. */
  readonly atPeak: boolean;
  /** Whether more posts use more of it. */
  readonly grows: boolean;
  /** What to do when it is the limit. */
  readonly remedy: string;
}

const secondsOfDay = 86_400;
/** Kept by PostgreSQL for administrators (superuser_reserved_connections). */
const reservedConnections = 3;
/** Channels of a post where intake was measured. */
const measuredChannels = 40;

/** Posts and deliveries of all workspaces. */
export function rates({ platforms, workspaces, postsPerDay, share, peak }: Workload) {
  const channels = platforms.reduce((sum, each) => sum + each.channels, 0);
  const posts = postsPerDay * workspaces;
  const deliveries = posts * channels * share;
  const perSecond = (perDay: number): number => (perDay / secondsOfDay) * peak;
  return {
    postsPerDay: posts,
    postsPerSecond: perSecond(posts),
    deliveriesPerPost: channels * share,
    deliveriesPerDay: deliveries,
    deliveriesPerSecond: perSecond(deliveries),
  };
}

/** What each platform allows: for a channel, for a rate group, and in a day. */
export function platformParts(workload: Workload): Part[] {
  return workload.platforms
    .filter(({ channels }) => channels > 0)
    .flatMap((each) => partsOf(each, workload));
}

function partsOf({ platform, channels, groups, channelRps }: PlatformChannels, load: Workload) {
  const pace = paceOf(platform);
  const posts = rates(load).postsPerSecond / load.workspaces;
  const media = load.mediaShare * load.album;
  const messages = pace.countsAlbumItems ? 1 + load.mediaShare * (load.album - 1) : 1;
  const ofGroup = Math.ceil(channels / groups) * load.share;
  const uploads = Math.min(1, ofGroup) * media * pace.uploadCalls;
  const part = (name: string, facts: Facts): Part => partFrom(`${platform}_${name}`, facts);
  return [
    ...(channelRps === null
      ? []
      : [
          part('channel_pace', {
            used: posts * load.share * messages,
            carries: channelRps,
            unit: 'messages/s',
            atPeak: true,
            remedy: 'route fewer posts to each channel: the platform takes no more in one chat',
          }),
        ]),
    part('rate_group', {
      used: posts * (ofGroup * messages + uploads),
      carries: pace.groupRps,
      unit: 'calls/s',
      atPeak: true,
      remedy: 'spread the channels over more credentials: each has a rate of its own',
    }),
    ...(pace.postsPerDay === null
      ? []
      : [
          part('posts_of_a_day', {
            used: load.postsPerDay * load.share,
            carries: pace.postsPerDay,
            unit: 'posts/day',
            remedy: 'route fewer posts to each wall: the platform takes no more in a day',
          }),
        ]),
  ];
}

/** What Outrider and PostgreSQL carry. */
export function localParts(load: Workload, figures: Figures): Part[] {
  const { postsPerDay, postsPerSecond, deliveriesPerPost, deliveriesPerDay, deliveriesPerSecond } =
    rates(load);
  const { value: postMicros } = figures.postCpuMicros;
  const { value: intakeMicros } = figures.intakeCpuMicros;
  const micros =
    postsPerSecond * postMicros +
    deliveriesPerSecond * (intakeMicros + figures.sendingCpuMicros.value);
  const bytes =
    postsPerDay * figures.postBytes.value + deliveriesPerDay * figures.deliveryBytes.value;
  return [
    partFrom('endpoint_pace', {
      used: postsPerSecond / load.workspaces / load.endpoints,
      carries: load.ingressRps,
      unit: 'posts/s',
      atPeak: true,
      remedy: "raise the endpoint's ingress_rps, or add endpoints",
    }),
    partFrom('endpoint_in_turn', {
      used: postsPerSecond / load.workspaces / load.endpoints,
      carries: 1 / secondsOfPost(deliveriesPerPost, figures),
      unit: 'posts/s',
      atPeak: true,
      remedy: 'add endpoints: posts of one are taken in one after the other',
    }),
    partFrom('postgres_cpu', {
      used: micros / 1e6,
      carries: load.cores,
      unit: 'cores',
      atPeak: true,
      remedy: 'give PostgreSQL more cores, then spread the workspaces over several installations',
    }),
    partFrom('sender_cpu', {
      used: deliveriesPerSecond,
      carries: figures.sendsPerProcess.value * load.processes,
      unit: 'deliveries/s',
      atPeak: true,
      remedy: 'run more processes',
    }),
    partFrom('sends_at_once', {
      used: (deliveriesPerSecond * load.answerMs) / 1000,
      carries: load.concurrency * load.processes,
      unit: 'sends',
      atPeak: true,
      remedy: 'raise OUTRIDER_CONCURRENCY, or run more processes',
    }),
    partFrom('disk', {
      used: (bytes * load.historyDays) / 1e9,
      carries: load.diskBytes / 1e9,
      unit: 'GB',
      remedy: 'get a larger disk, or keep a shorter history',
    }),
    partFrom('connections', {
      used: load.processes * connectionsOfUp,
      carries: Math.max(1, load.maxConnections - reservedConnections),
      unit: 'connections',
      grows: false,
      remedy: 'raise max_connections, or run the roles apart (outrider run)',
    }),
  ];
}

/**
 * How long a post takes from its endpoint's lock to its commit: the time that was measured with 40 channels, corrected
 * by the CPU of the deliveries above or below 40.
 */
function secondsOfPost(deliveriesPerPost: number, figures: Figures): number {
  const measured = (measuredChannels / figures.intakeRows.value) * 1e6;
  const more = (deliveriesPerPost - measuredChannels) * figures.intakeCpuMicros.value;
  return Math.max(figures.postCpuMicros.value, measured + more) / 1e6;
}

interface Facts extends Pick<Part, 'used' | 'carries' | 'unit' | 'remedy'> {
  readonly atPeak?: boolean;
  readonly grows?: boolean;
}

function partFrom(part: string, { atPeak = false, grows = true, ...facts }: Facts): Part {
  const { used, carries, unit, remedy } = facts;
  return { part, used, carries, unit, use: used / carries, atPeak, grows, remedy };
}
