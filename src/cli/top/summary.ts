// The view in one line, for whoever has no terminal: a log, a pipe, a script.

import { queueCounts, type ShownActivity } from '../../db/activity-rows.ts';
import { channelStates } from '../../db/channel-rows.ts';
import { shortState } from '../channels/list.ts';
import { oneLine } from '../screen/shown-text.ts';
import { relative } from '../screen/times.ts';
import { changeInWords } from './numbers.ts';

/** Such as "2026-03-02T10:00:00Z city: 12 due ▲3, 0 scheduled … | sent 84 in 60 s | …". */
export function summaryOf(activity: ShownActivity, before: ShownActivity | undefined): string {
  const { now, workspace_id: id, status, queue, at_least: cut, lately } = activity;
  const counts = queueCounts.map((name) => {
    const change = changeInWords(before?.queue[name], queue[name]);
    const count = `${queue[name]}${cut.includes(name) ? '+' : ''}`;
    return `${count} ${name}${change === '' ? '' : ` ${change}`}`;
  });
  const parts = [
    counts.join(', '),
    latelyInWords(lately, now),
    channelStates
      .filter((each) => activity.channel_states[each] > 0)
      .map((each) => `${activity.channel_states[each]} ${shortState(each)}`)
      .join(', '),
    alertsInWords(activity),
    lastErrorInWords(activity),
  ].filter((each) => each !== '');
  const state = status === 'active' ? '' : ` (${status})`;
  return oneLine(`${now.toISOString().slice(0, 19)}Z ${id}${state}: ${parts.join(' | ')}`);
}

function latelyInWords({ since, sent, ...others }: ShownActivity['lately'], now: Date): string {
  const seconds = Math.round((now.getTime() - since.getTime()) / 1000);
  const rest = Object.entries(others).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${name}`],
  );
  return [`${sent} sent in ${seconds} s`, ...rest].join(', ');
}

function alertsInWords({ alerts }: ShownActivity): string {
  if (alerts.length === 0) return '';
  const critical = alerts.filter((each) => each.severity === 'critical').length;
  const words = `${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}`;
  return critical === 0 ? words : `${words} (${critical} critical)`;
}

function lastErrorInWords({ errors: [last], now }: ShownActivity): string {
  if (last === undefined) return '';
  const { channel_id: channel, code, message, last_at: at } = last;
  return `last error ${relative(at, now)} in ${channel}: ${code}${message === null ? '' : `: ${message}`}`;
}
