// Limits in words, and what to try when one is the bottleneck.

import type { LimitKind, LimitUse } from '../../simulate/limits.ts';
import { shellWord } from '../asking.ts';

type Words = (name: string, value: string) => string;

const words: Readonly<Record<LimitKind, Words>> = {
  channel_pace: (name, value) => `the pace of ${name} (${value} a second)`,
  group_pace: (name, value) => `the pace of rate group ${name} (${value} a second)`,
  parallel_limit: (name, value) => `the parallel limit of ${name} (${value} at once)`,
  places: (_, value) => `the sender's places (${value} sends at once)`,
  posting_window: (name) => `the posting window of ${name}`,
  cooldown: (name) => `rate limits that ${name} answered with`,
  outage: (name) => `rests of ${name}, which found its platform ill`,
  pause: (name) => `pauses of ${name} after failures`,
  retry: (name) => `the next attempts after failures in ${name}`,
  credential: (name) => `the refused credential of ${name}`,
  disabled: (name) => `the end of being disabled, for ${name}`,
};

const ofChannels: ReadonlySet<LimitKind> = new Set([
  'channel_pace',
  'parallel_limit',
  'posting_window',
  'pause',
  'retry',
  'disabled',
]);

export function limitInWords(use: LimitUse, channels = 1): string {
  const { limit, name, value } = use;
  const one = ofChannels.has(limit) ? `channel ${name}` : name;
  const shown = value === undefined ? 'no number' : String(Number(value.toFixed(3)));
  return words[limit](channels > 1 ? `${channels} channels` : one, shown);
}

/** Limits of channels that are alike, as one. */
export function folded(uses: readonly LimitUse[]): { use: LimitUse; words: string }[] {
  const alike = Map.groupBy(uses, ({ limit, name, value }) =>
    ofChannels.has(limit) ? `${limit} ${value}` : `${limit} ${name}`,
  );
  return [...alike.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const sum = (of: (use: LimitUse) => number): number =>
        group.reduce((total, each) => total + of(each), 0);
      const use = {
        ...first,
        waitedMs: sum((each) => each.waitedMs),
        deliveries: sum((each) => each.deliveries),
      };
      return [{ use, words: limitInWords(use, group.length) }];
    })
    .toSorted((a, b) => b.use.waitedMs - a.use.waitedMs);
}

type Remedy = (use: { channel: string; name: string; value: number }) => string | undefined;

const remedies: Readonly<Partial<Record<LimitKind, Remedy>>> = {
  channel_pace: ({ channel, value }) =>
    set(`channels.${channel}.rate_rps=${Number((value * 2).toFixed(3))}`),
  group_pace: ({ channel, name }) =>
    `${set(`channels.${channel}.auth_ref=another`)}, for half of the channels of ${name}: a second token has a rate group of its own`,
  parallel_limit: ({ channel, value }) => set(`channels.${channel}.max_parallel=${value * 2}`),
  places: () => '--processes 2, or a higher --concurrency',
  posting_window: ({ channel }) => set(`channels.${channel}.window_mode=immediate`),
};

/** What to try, as a command line; undefined where no setting helps. */
export function remedyOf(
  { limit, name, value = 1 }: LimitUse,
  channel: string,
): string | undefined {
  return remedies[limit]?.({ channel: keyOf(channel), name, value });
}

function set(path: string): string {
  return `--set ${shellWord(path)}`;
}

/** A key as a path has it: in quotes where it would not be one step. */
function keyOf(id: string): string {
  return /^[^.'"*?=]+$/.test(id) ? id : `"${id}"`;
}
