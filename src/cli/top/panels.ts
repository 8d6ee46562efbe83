// What lies over the lists when somebody asks for it: the keys, and explanations.

import type { Explanation } from '../../db/explain.ts';
import { groupInWords } from '../screen/group-words.ts';
import type { Cell } from '../screen/table.ts';
import { inFull } from '../screen/times.ts';
import { number, perMinute } from './numbers.ts';
import type { About, Alert, Channel, Group } from './sections.ts';

/** A text of a panel, which is broken to the width of the screen. */
export interface Paragraph extends Cell {
  /** How far it stands from the left. */
  readonly indent?: number | undefined;
}

export const help: readonly Paragraph[] = [
  { text: 'Keys', colour: 'bold' },
  { text: '↑ ↓ or k j        move; PgUp, PgDn, Home, End: further' },
  { text: 'Tab, 1 to 5       go to another list: channels, sending, errors, alerts, groups' },
  { text: 'Enter or e        explain the chosen row: why it waits or failed, and what to do' },
  { text: '/                 filter; Escape takes the filter away' },
  { text: 's                 order the channels by state, by what waits, by name' },
  { text: 'Space             pause the view, and go on' },
  { text: 'r                 look now' },
  { text: 'Ctrl-L            draw the screen anew' },
  { text: 'Ctrl-Z            put it aside; fg brings it back' },
  { text: '? or h            this page' },
  { text: 'q or Ctrl-C       quit' },
  { text: '' },
  { text: 'Filters', colour: 'bold' },
  { text: 'channel:tg-*      channels by id; * stands for any characters, ? for one' },
  { text: 'platform:NAME     channels of a platform' },
  {
    text: 'status:retry      lists deliveries in that state instead of what is being sent; or queued,',
  },
  { text: 'claimed, sending, sent, deduped, failed, failed_permanent, dead', indent: 18 },
  { text: 'anything else     rows that have this text; several words: all of them' },
  { text: '' },
  { text: 'Numbers', colour: 'bold' },
  { text: '▲ ▼               what has changed since the look before' },
  { text: 'a minute          what a channel sent in the last minute, of what it may send' },
  {
    text: 'next              when the next delivery goes out; free: nothing waits, and it could send',
  },
  { text: '+                 there may be more: counting stopped' },
];

/** What is known about a row without asking. */
export function factsAbout(about: About, now: Date): Paragraph[] {
  if (about.kind === 'channel') return channelFacts(about.channel, now);
  if (about.kind === 'alert') return alertFacts(about.alert, now);
  if (about.kind === 'group') return groupFacts(about.group, now);
  if (about.kind === 'delivery') {
    return [{ text: `delivery ${about.deliveryId} to ${about.channelId}`, colour: 'bold' }];
  }
  return [{ text: 'This error was of no delivery that is still there.' }];
}

function alertFacts(alert: Alert, now: Date): Paragraph[] {
  const { alert_id: id, severity, kind, state, summary, opened_at: at } = alert;
  return [
    { text: `alert ${kind}`, colour: 'bold' },
    { text: summary, colour: severity === 'critical' ? 'red' : 'yellow' },
    { text: `${severity}, ${state}, since ${inFull(at, now)}` },
    { text: `More: outrider alerts show ${id}`, colour: 'gray' },
    { text: `Its section of docs/runbook.md: #${kind}`, colour: 'gray' },
  ];
}

function groupFacts(group: Group, now: Date): Paragraph[] {
  const { platform, rate_group: rateGroup, state, until, reason, channels } = group;
  const words =
    state === 'open'
      ? `${platform}/${rateGroup} sends`
      : groupInWords({ platform, rateGroup, state, until, reason }, now);
  return [
    { text: `rate group ${platform}/${rateGroup}`, colour: 'bold' },
    { text: words, colour: state === 'open' ? 'green' : 'yellow' },
    { text: `${number(channels)} ${channels === 1 ? 'channel' : 'channels'} in it` },
    { text: 'More: outrider rate-groups', colour: 'gray' },
  ];
}

function channelFacts(channel: Channel, now: Date): Paragraph[] {
  const { channel_id: id, platform, title, state, until, reason, rate_rps: limit } = channel;
  const name = title === null ? '' : `, "${title}"`;
  const why = reason === null ? '' : `: ${reason}`;
  const ends = until === null ? '' : ` until ${inFull(until, now)}`;
  const pace = limit ? `at most ${perMinute(limit)} a minute` : 'no limit of its own';
  return [
    { text: `channel ${id} (${platform}${name})`, colour: 'bold' },
    state === 'open'
      ? { text: 'It is open: it sends.', colour: 'green' }
      : { text: `It is ${state.replaceAll('_', ' ')}${ends}${why}`, colour: 'yellow' },
    {
      text: `${number(channel.waiting)} wait, ${channel.sending} of ${channel.max_parallel} are being sent, ${pace}; rate group ${channel.rate_group}`,
    },
    { text: '' },
    channel.next_delivery_id === null
      ? { text: 'Nothing waits for it.' }
      : { text: `The delivery that goes next: ${channel.next_delivery_id}`, colour: 'bold' },
  ];
}

/** The delivery that has to be asked about to explain a row. */
export function deliveryBehind(about: About): string | undefined {
  if (about.kind === 'delivery') return about.deliveryId;
  if (about.kind === 'channel') return about.channel.next_delivery_id ?? undefined;
  return undefined;
}

/** The main reason first. */
export function reasonsInWords(reasons: readonly Explanation[], now: Date): Paragraph[] {
  return reasons.flatMap(({ because, until, advice }, n) => [
    ...(n === 0 ? [] : [{ text: '' }]),
    { text: because, colour: n === 0 ? ('yellow' as const) : undefined },
    ...(until === null ? [] : [{ text: `until ${inFull(until, now)}`, indent: 2 }]),
    ...(advice === null || advice === '' ? [] : [{ text: advice, indent: 2 }]),
  ]);
}
