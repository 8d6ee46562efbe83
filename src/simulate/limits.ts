// Which limit each delivery waited for. A channel sends one delivery after the other, so what counts is for how long the
// head of its line waited, and for what: the time from the start of its predecessor, or from its own arrival, to its start.

import type { ChannelState, ListedChannel, ListedRateGroup } from '../db/channel-rows.ts';

export type LimitKind =
  | 'channel_pace'
  | 'group_pace'
  | 'parallel_limit'
  | 'places'
  | 'posting_window'
  | 'cooldown'
  | 'outage'
  | 'pause'
  | 'retry'
  | 'credential'
  | 'disabled';

export interface LimitUse {
  readonly limit: LimitKind;
  /** What has the limit: a channel, or platform/rate_group; empty for the sender's own places. */
  readonly name: string;
  /** The limit itself where it is a number: so many a second, or so many at once. */
  readonly value: number | undefined;
  /** How long the heads of lines waited for it, added up. */
  waitedMs: number;
  /** How many heads of lines waited for it. */
  deliveries: number;
}

/** What is known of a send when it begins. */
export interface Beginning {
  readonly at: number;
  /** Since when it has waited: since it came in, or since its last attempt failed. */
  readonly since: number;
  /** From when on it might be tried. */
  readonly readyAt: number;
  /** Since when its channel has had room for it, and the sender a place. */
  readonly roomAt: number;
  readonly placeAt: number;
  /** As how many messages its first call counts. */
  readonly weight: number;
}

export interface LimitUses {
  /** The longest waited for first; of one channel, or of all. */
  uses(channelId?: string): LimitUse[];
}

export interface Limits extends LimitUses {
  begin(channelId: string, beginning: Beginning): void;
  /** What the database says of the channels at a time: closed ones wait from then until the next look. */
  look(at: number, channels: readonly ListedChannel[]): void;
  /** Ends the account. */
  end(at: number): void;
}

interface Line {
  readonly channel: ListedChannel;
  readonly group: ListedRateGroup | undefined;
  readonly uses: Map<LimitKind, LimitUse>;
  lastStart: number;
  /** For how long it was closed since its last start. */
  closedMs: number;
  closed: { readonly limit: LimitKind; readonly since: number; readonly until: number } | undefined;
}

const limitOfState: Readonly<Record<Exclude<ChannelState, 'open'>, LimitKind>> = {
  paused: 'pause',
  cooling_down: 'cooldown',
  resting: 'outage',
  probing: 'outage',
  closed: 'posting_window',
  credential_refused: 'credential',
  disabled: 'disabled',
};

const ofGroup: ReadonlySet<LimitKind> = new Set(['group_pace', 'cooldown', 'outage', 'credential']);
/** Slots are rounded to milliseconds. */
const roundingMs = 2;

export function accountFor(
  channels: readonly ListedChannel[],
  groups: readonly ListedRateGroup[],
  places: number,
): Limits {
  const lines = new Map(
    channels.map((channel): [string, Line] => {
      const group = groups.find(
        (each) => each.platform === channel.platform && each.rateGroup === channel.rateGroup,
      );
      const empty = { lastStart: Number.NEGATIVE_INFINITY, closedMs: 0, closed: undefined };
      return [channel.channelId, { channel, group, uses: new Map(), ...empty }];
    }),
  );

  function note(line: Line, limit: LimitKind, waitedMs: number): void {
    if (waitedMs <= 0) return;
    const use = line.uses.get(limit) ?? freshUse(line, limit);
    line.uses.set(limit, use);
    use.waitedMs += waitedMs;
    use.deliveries += 1;
  }

  function freshUse({ channel, group }: Line, limit: LimitKind): LimitUse {
    const name = ofGroup.has(limit)
      ? `${channel.platform}/${channel.rateGroup}`
      : channel.channelId;
    const values: Partial<Record<LimitKind, number | null | undefined>> = {
      channel_pace: channel.rateRps,
      group_pace: group?.rateRps,
      parallel_limit: channel.maxParallel,
      places,
    };
    return {
      limit,
      name: limit === 'places' ? '' : name,
      value: values[limit] ?? undefined,
      waitedMs: 0,
      deliveries: 0,
    };
  }

  /** Counts the time for which a channel was closed, up to a time or to its opening. */
  function settle(line: Line, at: number): void {
    const { closed } = line;
    if (closed === undefined) return;
    const ms = Math.min(at, closed.until) - closed.since;
    if (ms > 0) {
      note(line, closed.limit, ms);
      line.closedMs += ms;
    }
    line.closed = undefined;
  }

  return {
    begin(channelId, start) {
      const line = lines.get(channelId);
      if (line === undefined) return;
      settle(line, start.at);
      const waited = start.at - Math.max(line.lastStart, start.since) - line.closedMs;
      const reason = waited > roundingMs ? reasonOf(line, start) : undefined;
      if (reason !== undefined) note(line, reason, waited);
      line.lastStart = start.at;
      line.closedMs = 0;
    },
    look(at, listed) {
      for (const { channelId, state, stateUntil, waiting } of listed) {
        const line = lines.get(channelId);
        if (line === undefined) continue;
        settle(line, at);
        if (state === 'open' || waiting === 0) continue;
        const until = stateUntil?.getTime() ?? Number.POSITIVE_INFINITY;
        line.closed = { limit: limitOfState[state], since: at, until };
      }
    },
    end(at) {
      for (const line of lines.values()) settle(line, at);
    },
    uses(channelId) {
      const chosen = channelId === undefined ? [...lines.values()] : [lines.get(channelId)];
      return sumOfUses(chosen.flatMap((line) => [...(line?.uses.values() ?? [])]));
    },
  };
}

/** One entry for each limit, the longest waited for first. */
export function sumOfUses(uses: readonly LimitUse[]): LimitUse[] {
  const all = new Map<string, LimitUse>();
  for (const use of uses) {
    const key = `${use.limit} ${use.name}`;
    const sum = all.get(key) ?? { ...use, waitedMs: 0, deliveries: 0 };
    sum.waitedMs += use.waitedMs;
    sum.deliveries += use.deliveries;
    all.set(key, sum);
  }
  return [...all.values()].toSorted((a, b) => b.waitedMs - a.waitedMs);
}

function reasonOf({ channel, group, lastStart }: Line, start: Beginning): LimitKind | undefined {
  if (start.readyAt > start.since && start.at - start.readyAt <= roundingMs) return 'retry';
  if (start.at === start.roomAt) return 'parallel_limit';
  if (start.at === start.placeAt) return 'places';
  const step = channel.rateRps ? (1000 * start.weight) / channel.rateRps : 0;
  if (step > 0 && start.at - lastStart <= step * 1.01 + roundingMs) return 'channel_pace';
  if (group?.rateRps) return 'group_pace';
  return step > 0 ? 'channel_pace' : undefined;
}
