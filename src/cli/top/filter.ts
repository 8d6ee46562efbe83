// What somebody typed to see less: words such as channel:tg-*, platform:vk and status:retry, and any other text.

import { type DeliveryStatus, deliveryStatuses, failedStatuses } from '../../db/delivery-rows.ts';
import { nearest } from '../given/nearest.ts';

export interface Filter {
  /** Patterns of ids, as show_activity takes them. */
  readonly channels: readonly string[];
  readonly platform: string | undefined;
  readonly statuses: readonly DeliveryStatus[];
  /** In lower case; a row must have all of them. */
  readonly words: readonly string[];
  /** What is wrong with it; undefined: nothing. */
  readonly fault: string | undefined;
}

const known = [...deliveryStatuses, 'failed'];

export function filterOf(typed: string): Filter {
  const words = typed.split(/\s+/).filter((each) => each !== '');
  const valuesOf = (name: string): string[] =>
    words.filter((each) => each.startsWith(`${name}:`)).map((each) => each.slice(name.length + 1));
  const channels = valuesOf('channel').filter((each) => each !== '');
  const [platform, secondPlatform] = valuesOf('platform').filter((each) => each !== '');
  const statuses = valuesOf('status').filter((each) => each !== '');
  const unknown = statuses.find((each) => !known.includes(each));
  const fault =
    secondPlatform === undefined
      ? unknown && unknownStatus(unknown)
      : 'one platform at a time: take one of them out';
  return {
    // Part of an id is enough; a pattern with * or ? is taken as it is.
    channels: channels.map((each) => (/[*?]/.test(each) ? each : `*${each}*`).slice(0, 128)),
    platform: platform?.slice(0, 128),
    statuses: statuses.flatMap((each) =>
      each === 'failed' ? failedStatuses : deliveryStatuses.filter((status) => status === each),
    ),
    words: words
      .filter((each) => !/^(channel|platform|status):/.test(each))
      .map((each) => each.toLowerCase()),
    fault,
  };
}

function unknownStatus(given: string): string {
  const meant = nearest(given, known);
  const instead =
    meant === undefined ? `a delivery is ${known.join(', ')}` : `did you mean ${meant}?`;
  return `status:${given}: ${instead}`;
}

/** Whether a row has all the words. */
export function hasWords({ words }: Filter, texts: readonly string[]): boolean {
  const all = texts.join('\n').toLowerCase();
  return words.every((each) => all.includes(each));
}
