// Deliveries as a command line chooses them: by state, channel and time.

import { type DeliveryStatus, deliveryStatuses, failedStatuses } from '../../db/delivery-rows.ts';
import type { DeliveryFilter } from '../../db/inspect.ts';
import type { Place } from '../asking.ts';
import { type ChannelChoice, choiceOptions, chosenChannels, isChoice } from '../channels/choice.ts';
import { UsageError } from '../command.ts';
import { type Moment, momentOf, spanOf } from '../given/moments.ts';
import { nearest } from '../given/nearest.ts';
import { text, texts } from '../given/options.ts';

export const deliveryChoiceOptions = {
  ...choiceOptions,
  status: text,
  channel: texts,
  since: text,
  until: text,
  limit: text,
} as const;

interface Given extends Omit<ChannelChoice, 'names'> {
  readonly status?: string | undefined;
  readonly channel?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface DeliveryChoice {
  readonly statuses: readonly DeliveryStatus[] | undefined;
  readonly channels: ChannelChoice;
  readonly since: Moment | undefined;
  readonly until: Moment | undefined;
}

/** What the options say. Wrong options are refused here, before a database is opened. */
export function deliveryChoice(given: Given): DeliveryChoice {
  const { status, channel = [], since, until, credential, group, platform } = given;
  return {
    statuses: status === undefined ? undefined : statusesOf(status),
    channels: { names: channel, credential, group, platform },
    since: momentOf('since', since),
    until: momentOf('until', until),
  };
}

/** Whether anything is chosen at all. */
export function isDeliveryChoice({ statuses, channels, since, until }: DeliveryChoice): boolean {
  return isChoice(channels) || [statuses, since, until].some((each) => each !== undefined);
}

/** The choice in the form that the database takes. */
export async function deliveryFilter(
  place: Place,
  { statuses, channels, since, until }: DeliveryChoice,
): Promise<Pick<DeliveryFilter, 'statuses' | 'channelIds' | 'since' | 'until'>> {
  const span = await spanOf(place, since, until);
  const channelIds = isChoice(channels) ? await chosenChannels(place, channels) : undefined;
  return { statuses, channelIds, ...span };
}

function statusesOf(given: string): readonly DeliveryStatus[] {
  if (given === 'failed') return failedStatuses;
  const status = deliveryStatuses.find((each) => each === given);
  if (status !== undefined) return [status];
  const known = [...deliveryStatuses, 'failed'];
  const meant = nearest(given, known);
  const instead =
    meant === undefined ? `a delivery is ${known.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`--status ${given}: ${instead}`);
}
