// Verdicts, states and timelines in the words of the demo.

import type { ListedDelivery, ShownDelivery } from '../../db/inspect.ts';
import type { Accepted } from './stage.ts';

/** `tg-news queued · tg-deals not routed (include_all)` */
export function verdictsOf(accepted: Accepted): string[] {
  return accepted.channels.map(({ channel_id, verdict, rule }) => {
    const why = rule === undefined ? '' : ` (${rule})`;
    return `${channel_id.padEnd(10)} ${verdict.replace('_', ' ')}${why}`;
  });
}

export function statesOf(deliveries: readonly ListedDelivery[]): string[] {
  return deliveries
    .toSorted((one, other) => one.channelId.localeCompare(other.channelId))
    .map((each) => {
      const why = each.status === 'sent' ? '' : withColon(each.errorMessage);
      const attempts = each.attempt === 1 ? 'first attempt' : `${each.attempt} attempts`;
      return `${each.channelId.padEnd(10)} ${each.status} (${attempts})${why}`;
    });
}

/** The events of a delivery, with the time since the first one. */
export function timelineOf(events: ShownDelivery['events']): string[] {
  const started = events[0]?.ts.getTime() ?? 0;
  return events.map(({ ts, action, attempt, error }) => {
    const seconds = ((ts.getTime() - started) / 1000).toFixed(2).padStart(6);
    const why = error === null ? '' : `  ${error.code}${withColon(error.message)}`;
    return `${seconds} s  ${action.padEnd(22)} attempt ${attempt}${why}`;
  });
}

function withColon(words: string | null | undefined): string {
  return words === null || words === undefined ? '' : `: ${words}`;
}
