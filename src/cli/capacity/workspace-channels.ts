// The channels of a workspace, as a calculation counts them.

import { platforms } from '../../adapters/platforms.ts';
import type { ListedChannel } from '../../db/channel-rows.ts';
import type { PlatformChannels } from './workload.ts';

type Facts = Pick<ListedChannel, 'platform' | 'enabled' | 'rateGroup' | 'rateRps'>;

/** Those that are enabled; the slowest channel of a platform sets the pace of its channels. */
export function channelsIn(listed: readonly Facts[]): PlatformChannels[] {
  return platforms.flatMap(({ name: platform }) => {
    const own = listed.filter((each) => each.enabled && each.platform === platform);
    if (own.length === 0) return [];
    const paced = own.flatMap(({ rateRps }) =>
      rateRps === null || rateRps === 0 ? [] : [rateRps],
    );
    return [
      {
        platform,
        channels: own.length,
        groups: new Set(own.map((each) => each.rateGroup)).size,
        channelRps: paced.length === 0 ? null : Math.min(...paced),
      },
    ];
  });
}
