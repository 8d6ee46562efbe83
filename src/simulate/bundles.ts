// Bundles of rate groups that are simulated at the same time, apart from each other. Channels share slots, cooldowns and
// outages with their rate group only. All of them share the sender's places; where these suffice for every channel at
// its parallel limit, no channel ever waits for one.

import type { ListedChannel } from '../db/channel-rows.ts';

type Divided = Pick<ListedChannel, 'channelId' | 'platform' | 'rateGroup' | 'maxParallel'>;

/** The ids of the channels of each bundle: at most so many bundles, as even as whole rate groups allow. */
export function bundlesOf(channels: readonly Divided[], places: number, most: number): string[][] {
  const sendsAtOnce = channels.reduce((sum, each) => sum + each.maxParallel, 0);
  const groups = Object.values(
    Object.groupBy(channels, ({ platform, rateGroup }) => `${platform}/${rateGroup}`),
  ).map((group = []) => group.map(({ channelId }) => channelId));
  const count = sendsAtOnce > places ? 1 : Math.max(1, Math.min(most, groups.length));
  const bundles = Array.from({ length: count }, (): string[] => []);
  for (const group of groups.toSorted((a, b) => b.length - a.length)) {
    bundles.toSorted((a, b) => a.length - b.length)[0]?.push(...group);
  }
  return bundles;
}
