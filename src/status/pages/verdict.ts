// What stands first: whether everything is going out, and if not, what to do.

import type { Wrong } from '../../db/status.ts';
import { type Html, html } from '../html.ts';
import type { Reading } from '../reading.ts';
import { type Section, section } from '../section.ts';
import {
  clockTime,
  counted,
  remaining,
  sentence,
  several,
  soonest,
  type Tone,
  when,
} from '../words.ts';

/** Why the page cannot be brought up to date. */
export interface Trouble {
  readonly words: string;
  readonly since: Date;
}

/** `trouble`: what is shown is what was known before it. */
export function verdictSection(reading: Reading, trouble: Trouble | undefined): Section {
  const open = reading.wrong.filter(isOpen);
  const known = reading.wrong.filter((each) => !isOpen(each) && each.severity !== 'info');
  const notes = reading.wrong.filter((each) => isUnanswered(each) && each.severity === 'info');
  const { tone, words } = trouble === undefined ? verdictOf(reading, open) : awayVerdict;
  return section(
    'verdict',
    html`<section id="verdict" class="verdict ${tone}" aria-labelledby="verdict-words">
<h2 id="verdict-words">${words}</h2>
${trouble === undefined ? undefined : troubleNote(trouble, reading.now)}
<p class="summary">${summaryOf(reading)}</p>
${open.length === 0 ? undefined : html`<ul class="wrong">${open.map((each) => entry(each, reading.now))}</ul>`}
${notes.length === 0 ? undefined : html`<ul class="wrong notes">${notes.map((each) => entry(each, reading.now))}</ul>`}
${known.length === 0 ? undefined : knownList(known, reading.now)}
</section>`,
  );
}

/** Nobody has acknowledged or silenced it. */
function isUnanswered({ acknowledgedBy, silencedUntil }: Wrong): boolean {
  return acknowledgedBy === null && silencedUntil === null;
}

function isOpen(wrong: Wrong): boolean {
  return isUnanswered(wrong) && wrong.severity !== 'info';
}

interface Verdict {
  readonly tone: Tone;
  readonly words: string;
}

const awayVerdict: Verdict = { tone: 'bad', words: 'This page is not up to date' };

const hourMs = 3_600_000;

function verdictOf(reading: Reading, open: readonly Wrong[]): Verdict {
  const { workspace, channels, failures, now } = reading;
  if (open.length > 0) {
    const words = open.length === 1 ? '1 thing needs you' : `${open.length} things need you`;
    return { tone: open.some((each) => each.severity === 'critical') ? 'bad' : 'waits', words };
  }
  if (channels.length === 0) return { tone: 'off', words: 'There is no channel yet' };
  const waiting = channels.filter((each) =>
    ['cooling_down', 'resting', 'probing'].includes(each.state),
  ).length;
  if (waiting > 0) {
    const words = `Nothing needs you: ${several(waiting, 'channel waits', 'channels wait')} for a platform`;
    return { tone: 'waits', words };
  }
  const { due, retrying, claimed, scheduled } = workspace.waiting;
  const stuck = channels.filter((each) => each.state === 'disabled' && each.waiting > 0);
  const stays = stuck.reduce((sum, each) => sum + each.waiting, 0);
  const isIdle = due + retrying + claimed + scheduled + workspace.sending.open <= stays;
  const hasFailed = failures.some(({ failedAt }) => now.getTime() - failedAt.getTime() < hourMs);
  const but = [
    ...(hasFailed ? ['what failed in the last hour'] : []),
    ...(stays > 0 ? [`what waits in ${several(stuck.length, 'disabled channel')}`] : []),
  ].join(' and ');
  const words = `Everything ${isIdle ? 'is out' : 'is going out'}`;
  return but === '' ? { tone: 'good', words } : { tone: 'waits', words: `${words} but ${but}` };
}

function troubleNote({ words, since }: Trouble, now: Date): Html {
  return html`<p class="trouble">${sentence(words)} It has been so since ${clockTime(since)}; what follows is as of ${clockTime(now)}.</p>`;
}

function summaryOf({ workspace, now }: Reading): Html {
  const { last_hour: hour, waiting, sending, next_send_at: next } = workspace;
  const isLeast = (name: string): boolean => workspace.at_least.includes(name);
  const waits = waiting.due + waiting.scheduled + waiting.retrying + waiting.claimed;
  const isLeastWaiting = ['due', 'scheduled', 'retrying'].some(isLeast);
  const soon = next === null || waits === 0 ? undefined : html` · next ${soonest(next, now)}`;
  return html`${counted(hour.sent, isLeast('sent'))} sent in the last hour · ${counted(waits, isLeastWaiting)} waiting · ${counted(sending.open)} being sent${soon}`;
}

function entry({ severity, summary, advice, since }: Wrong, now: Date): Html {
  return html`<li class="${severity}"><p><span class="badge ${toneOf[severity]}">${severity}</span> ${sentence(summary)}${since === null ? undefined : html` <small>Opened ${when(since, now)}.</small>`}</p>${advice === null ? undefined : html`<pre><code>${advice}</code></pre>`}</li>`;
}

const toneOf: Readonly<Record<Wrong['severity'], Tone>> = {
  critical: 'bad',
  warning: 'waits',
  info: 'off',
};

function knownList(known: readonly Wrong[], now: Date): Html {
  const entries = known.map(
    ({ summary, acknowledgedBy, silencedUntil }) =>
      html`<li>${sentence(summary)} <small>${acknowledgedBy === null ? undefined : html`Acknowledged by ${acknowledgedBy}. `}${silencedUntil === null ? undefined : html`Silenced for ${remaining(silencedUntil, now)}.`}</small></li>`,
  );
  return html`<details id="known"><summary>${several(known.length, 'more, acknowledged or silenced', 'more, acknowledged or silenced')}</summary><ul>${entries}</ul></details>`;
}
