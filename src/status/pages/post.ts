// One delivery: why it is where it is and what to do, what happened to it, what it says, and where else its post goes.

import type { Explanation } from '../../db/explain.ts';
import type { ListedDelivery, ShownDelivery } from '../../db/inspect.ts';
import { maskText } from '../../masking.ts';
import { type Html, html, plain } from '../html.ts';
import { fullTime, remaining, several, statusBadge, when, withCode } from '../words.ts';
import { type HeaderOptions, header } from './header.ts';
import { layout } from './layout.ts';
import type { Links } from './links.ts';

export interface ShownPost {
  readonly now: Date;
  /** The beginning of the post, as lists show it. */
  readonly excerpt: string;
  readonly shown: ShownDelivery;
  readonly explanations: readonly Explanation[];
  /** Deliveries of the same message. */
  readonly others: readonly ListedDelivery[];
}

export function postPage(post: ShownPost, links: Links, options: HeaderOptions): string {
  const { shown, others, excerpt } = post;
  const { delivery, channel } = shown;
  const title = firstWords(excerpt);
  return layout(
    { title: `${title}: status`, header: header(options) },
    html`<p class="back"><a href="${links.overview()}">‹ Status</a></p>
<h1>${title}</h1>
<p class="lead">${statusBadge(delivery.status)} in <a href="${links.deliveries({ channelId: channel.channel_id })}"><b>${channel.title ?? channel.channel_id}</b></a> <small>${channel.channel_id}, ${channel.platform}</small></p>
${why(post)}
<div class="columns"><div class="wide">${timeline(post)}</div><div class="narrow">${facts(post)}${textCard(shown)}${othersCard(others, delivery.delivery_id, links)}</div></div>`,
  );
}

/** For a heading: the first line, not for ever. */
export function firstWords(text: string): string {
  // Masked before it is cut, since half an e-mail address looks like none; and no character is cut in half.
  const line = maskText(text.trim().split('\n', 1)[0] ?? '');
  if (line === '') return 'A post without text';
  return line.length > 80 ? `${line.slice(0, 80).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

function why({ explanations, now }: ShownPost): Html {
  const [first, ...more] = explanations;
  if (first === undefined) return html``;
  const entry = ({ because, until, advice }: Explanation): Html =>
    html`<p>${withCode(because)}${until === null || until <= now ? undefined : html` <small>For ${remaining(until, now)}.</small>`}</p>${advice === '' ? undefined : html`<p class="advice">${withCode(advice)}</p>`}`;
  return html`<section class="card why-card" aria-labelledby="why-words"><h2 id="why-words">Why</h2><div class="because">${entry(first)}</div>${more.length === 0 ? undefined : html`<ul class="list">${more.map((each) => html`<li>${entry(each)}</li>`)}</ul>`}</section>`;
}

function timeline({ shown, now }: ShownPost): Html {
  const entries = shown.events.map(
    ({ ts, action, attempt, result, error, meta }) =>
      html`<li class="${result === 'error' ? 'bad' : 'good'}"><b>${actionWords[action] ?? action.replaceAll('_', ' ')}</b>${attempt > 0 ? html` <small>attempt ${attempt}</small>` : undefined} <span class="side">${when(ts, now)}</span><small>${fullTime(ts)}${error === null ? undefined : html`: ${[error.code, error.message].filter((each) => each !== undefined).join(': ')}`}${noteOf(meta)}</small></li>`,
  );
  return html`<section class="card" aria-labelledby="timeline-words"><h2 id="timeline-words">What happened</h2>${entries.length === 0 ? html`<p class="empty">Nothing is recorded.</p>` : html`<ol class="timeline">${entries}</ol>`}</section>`;
}

const actionWords: Readonly<Record<string, string>> = {
  enqueue: 'accepted',
  send_attempt: 'being sent',
  sent: 'sent',
  retry_scheduled: 'put off',
  dedup_suppressed: 'suppressed as a repeat',
  failed_permanent: 'refused for good',
  dead_letter: 'given up',
  validation_failed: 'refused by the checks before queueing',
  sending_lease_expired: 'its sender was lost',
  claimed_lease_expired: 'its slot was not used',
  claim_returned: 'given back',
  claim_released: 'given back',
  manual_requeue: 'requeued by hand',
  manual_resolve: 'resolved by hand',
};

/** Who ordered it and why, and as what the platform has it. */
function noteOf(meta: Readonly<Record<string, unknown>>): Html | undefined {
  const named = (name: string): string | undefined =>
    typeof meta[name] === 'string' ? meta[name] : undefined;
  const operator = named('operator');
  const reason = named('reason');
  const id = named('provider_message_id');
  const notes = [
    operator === undefined ? undefined : `by ${operator}`,
    reason,
    id === undefined ? undefined : `as ${id}`,
  ].filter((each) => each !== undefined);
  return notes.length === 0 ? undefined : html`; ${notes.join(', ')}`;
}

function facts({ shown, now }: ShownPost): Html {
  const { delivery, message, channel } = shown;
  const rows: readonly (readonly [string, Html])[] = [
    ['Delivery', html`<code>${plain(delivery.delivery_id)}</code>`],
    ['Message', html`<code>${plain(message.message_id)}</code>`],
    ...(message.source_ref === null ? [] : [['Reference', html`${message.source_ref}`] as const]),
    ['Accepted', when(delivery.created_at, now)],
    ['Attempts', html`${delivery.attempt} of ${delivery.attempt_limit}`],
    ...(delivery.parts.length > 1 ? [['Parts', html`${delivery.parts.length}`] as const] : []),
    ['Rate group', html`${channel.rate_group}`],
    ...(message.tags.length === 0 ? [] : [['Tags', html`${message.tags.join(', ')}`] as const]),
    ['Trace', html`<code>${plain(delivery.trace_id)}</code>`],
  ];
  return html`<section class="card" aria-labelledby="facts-words"><h2 id="facts-words">Facts</h2><dl class="pairs">${rows.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

function textCard({ delivery }: ShownDelivery): Html {
  return html`<section class="card" aria-labelledby="text-words"><h2 id="text-words">Text</h2><p class="text">${delivery.shown_text}</p></section>`;
}

function othersCard(others: readonly ListedDelivery[], own: string, links: Links): Html {
  const rest = others.filter((each) => each.deliveryId !== own);
  if (rest.length === 0) return html``;
  const entries = rest.map(
    ({ deliveryId, channelId, status }) =>
      html`<li><a href="${links.post(deliveryId)}">${channelId}</a> <span class="side">${statusBadge(status)}</span></li>`,
  );
  return html`<section class="card" aria-labelledby="others-words"><h2 id="others-words">In ${several(rest.length, 'other channel')}</h2><ul class="list">${entries}</ul></section>`;
}
