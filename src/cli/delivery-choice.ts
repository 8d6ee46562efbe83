// Deliveries as a command line chooses them: by state, channel and time.

import { type DeliveryStatus, deliveryStatuses, failedStatuses } from '../db/delivery-rows.ts';
import { databaseTime } from '../db/health.ts';
import type { DeliveryFilter } from '../db/inspect.ts';
import type { Place } from './asking.ts';
import { type ChannelChoice, choiceOptions, chosenChannels, isChoice } from './channel-choice.ts';
import { UsageError } from './command.ts';
import { nearest } from './nearest.ts';
import { text, texts } from './options.ts';
import { inFull, parsedSpan, parsedTime } from './times.ts';

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

/** A time, or a number of milliseconds before now. */
type Moment = { readonly at: Date } | { readonly ago: number };

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
  const now = 'ago' in { ...since, ...until } ? await databaseTime(place.client) : new Date();
  const [from, to] = [timeOf(since, now), timeOf(until, now)];
  if (from !== undefined && to !== undefined && from >= to) {
    throw new UsageError(
      `--since is ${inFull(from, now)} and --until ${inFull(to, now)}: nothing lies between`,
    );
  }
  return {
    statuses,
    channelIds: isChoice(channels) ? await chosenChannels(place, channels) : undefined,
    since: from?.toISOString(),
    until: to?.toISOString(),
  };
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

function momentOf(name: string, given: string | undefined): Moment | undefined {
  if (given === undefined) return undefined;
  const ago = parsedSpan(given);
  if (ago !== undefined) return { ago };
  const at = parsedTime(given);
  if (at !== undefined) return { at };
  throw new UsageError(
    `--${name} ${given}: it is a span such as 30m, 2h or 1d, or a time such as 2026-03-02T18:00+03:00`,
  );
}

function timeOf(moment: Moment | undefined, now: Date): Date | undefined {
  if (moment === undefined) return undefined;
  return 'at' in moment ? moment.at : new Date(now.getTime() - moment.ago);
}
