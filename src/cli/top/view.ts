// What `outrider top` has read of a workspace, and what has changed since it read before.

import type { ListedDelivery } from '../../db/delivery-rows.ts';
import { listDeliveries, type ShownActivity, showActivity } from '../../db/inspect.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Filter } from './filter.ts';

export interface View {
  readonly activity: ShownActivity;
  /** Those of the states that the filter asks for; undefined: it asks for none. */
  readonly deliveries: readonly ListedDelivery[] | undefined;
}

/** Of each list so many are read; more fit on no screen. */
const listed = 100;

/** One call, or two where the filter asks for deliveries in some states. */
export async function readView(
  client: Queryable,
  workspaceId: string,
  filter: Filter,
): Promise<View> {
  const { platform, statuses } = filter;
  const channelIds = filter.channels.length === 0 ? undefined : filter.channels;
  const activity = await showActivity(client, { workspaceId, channelIds, platform, limit: listed });
  if (statuses.length === 0) return { activity, deliveries: undefined };
  const request = { workspaceId, statuses: [...new Set(statuses)], channelIds, limit: listed };
  const found = await listDeliveries(client, request);
  const ofPlatform = new Set(activity.channels.map((each) => each.channel_id));
  const deliveries =
    platform === undefined ? found : found.filter((each) => ofPlatform.has(each.channelId));
  return { activity, deliveries };
}
