// Numbers, times and states in words.

import type { ChannelState } from '../db/inspect.ts';
import { relative, span } from '../times.ts';
import { type Html, html, plain } from './html.ts';

const digits = new Intl.NumberFormat('en');

/** 1204 as 1,204; with a + where counting stopped. */
export function counted(count: number, isLeast = false): Html {
  return plain(`${digits.format(count)}${isLeast ? '+' : ''}`);
}

/** 1 channel, 2 channels. */
export function several(count: number, one: string, many = `${one}s`): string {
  return `${digits.format(count)} ${count === 1 ? one : many}`;
}

const minuteMs = 60_000;

/**
 * A time as seen from now; the exact time is in its title. To the minute, except for what comes within two minutes: words that
 * change every second would be sent anew with every update.
 */
export function when(at: Date, now: Date): Html {
  const ms = at.getTime() - now.getTime();
  if (ms > 0 && ms < 2 * minuteMs) return timed(at, relative(at, now));
  const minutes = Math.trunc(ms / minuteMs) * minuteMs;
  if (minutes === 0) return timed(at, ms > 0 ? 'now' : 'just now');
  return timed(at, relative(new Date(now.getTime() + minutes), now));
}

/** When something goes on: as `when`, and now where it only waits for somebody to do it. */
export function soonest(at: Date, now: Date): Html {
  return at > now ? when(at, now) : timed(at, 'now');
}

/** How much longer something lasts. */
export function remaining(until: Date, now: Date): Html {
  const ms = Math.max(0, until.getTime() - now.getTime());
  const shown = ms < 2 * minuteMs ? ms : Math.trunc(ms / minuteMs) * minuteMs;
  return timed(until, `${span(shown)} more`);
}

/** The time of day, of a day that is near. */
export function clockTime(at: Date): Html {
  return timed(at, `${at.toISOString().slice(11, 19)} UTC`);
}

/** Day and time, to the second. */
export function fullTime(at: Date): Html {
  return timed(at, inUtc(at));
}

function timed(at: Date, words: string): Html {
  return html`<time datetime="${plain(at.toISOString())}" title="${plain(inUtc(at))}">${plain(words)}</time>`;
}

function inUtc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** How a thing stands, by colour: what is good, what waits by itself, what wants a person, what is off on purpose. */
export type Tone = 'good' | 'waits' | 'bad' | 'off';

interface StateWords {
  readonly tone: Tone;
  readonly words: string;
}

/** States of channels and rate groups; `words` serve for one and for many. */
export const channelStates: Readonly<Record<ChannelState, StateWords>> = {
  open: { tone: 'good', words: 'open' },
  paused: { tone: 'bad', words: 'paused' },
  cooling_down: { tone: 'waits', words: 'cooling down' },
  resting: { tone: 'waits', words: 'resting' },
  probing: { tone: 'waits', words: 'probed' },
  closed: { tone: 'off', words: 'outside hours' },
  credential_refused: { tone: 'bad', words: 'credential refused' },
  disabled: { tone: 'bad', words: 'disabled' },
};

/** Statuses of deliveries. */
const statusWords: Readonly<Record<string, StateWords>> = {
  queued: { tone: 'off', words: 'queued' },
  claimed: { tone: 'off', words: 'has a slot' },
  sending: { tone: 'waits', words: 'being sent' },
  sent: { tone: 'good', words: 'sent' },
  retry: { tone: 'waits', words: 'to be retried' },
  deduped: { tone: 'off', words: 'a repeat' },
  failed_permanent: { tone: 'bad', words: 'failed' },
  dead: { tone: 'bad', words: 'dead' },
};

export function badge({ tone, words }: StateWords): Html {
  return html`<span class="badge ${tone}">${words}</span>`;
}

export function statusBadge(status: string): Html {
  return badge(statusWords[status] ?? { tone: 'off', words: statusInWords(status) });
}

export function statusInWords(status: string): string {
  return statusWords[status]?.words ?? status.replaceAll('_', ' ');
}

/** A sentence with commands between backticks. */
export function withCode(words: string): Html {
  return code(sentence(words));
}

/** Words with commands between backticks. */
export function code(words: string): Html {
  const pieces = words.split('`');
  return html`${pieces.map((piece, n) => (n % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))}`;
}

/** A sentence as it begins a line: with a capital letter, and a full stop. */
export function sentence(words: string): string {
  const text = words.trim();
  const end = /[.!?…]$/.test(text) ? '' : '.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}
