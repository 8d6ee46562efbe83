// The queue: how much waits for what, what became of deliveries in the last hour, and how full the queue was over time.

import { type Html, html } from '../html.ts';
import type { Reading } from '../reading.ts';
import { type Section, section } from '../section.ts';
import { spans } from '../span.ts';
import { counted, when } from '../words.ts';
import type { Links } from './links.ts';
import { queueChart } from './queue-chart.ts';

export function queueSection(reading: Reading, links: Links): Section {
  const { workspace, now } = reading;
  const { waiting, sending, last_hour: hour, oldest_due: oldest } = workspace;
  const count = (name: string, value: number): Html =>
    counted(value, workspace.at_least.includes(name));
  const listed = (status: string, value: Html): Html =>
    html`<a href="${links.deliveries({ status })}">${value}</a>`;
  return section(
    'queue',
    html`<section id="queue" class="card" aria-labelledby="queue-words">
<div class="head"><h2 id="queue-words">Queue</h2>${spanLinks(reading, links)}</div>
<div class="queue">
<dl class="facts">
${fact('Due', listed('queued', count('due', waiting.due)), 'due')}
${fact('Being sent', listed('sending', counted(sending.open)), 'sending')}
${fact('With a slot', listed('claimed', counted(waiting.claimed)), 'claimed')}
${fact('To be retried', listed('retry', count('retrying', waiting.retrying)), 'retrying')}
${fact('Scheduled', count('scheduled', waiting.scheduled), 'scheduled')}
</dl>
${queueChart(reading)}
</div>
<p class="hour"><strong>Last hour:</strong> ${listed('sent', html`${count('sent', hour.sent)} sent`)} · ${count('retried', hour.retried)} put off · ${listed('failed_permanent', html`${count('failed', hour.failed)} failed`)} · ${listed('dead', html`${count('dead', hour.dead)} dead`)} · ${listed('deduped', html`${count('deduped', hour.deduped)} suppressed as repeats`)} · ${count('refused', hour.refused)} refused at intake${oldest === null ? undefined : html` · oldest due ${when(oldest.due_since, now)} in <a href="${links.post(oldest.delivery_id)}">${oldest.channel_id}</a>`}</p>
</section>`,
  );
}

function fact(title: string, value: Html, key: string): Html {
  return html`<div><dt><span class="key ${key}"></span>${title}</dt><dd>${value}</dd></div>`;
}

function spanLinks({ span }: Reading, links: Links): Html {
  const entries = spans.map((each) =>
    each.key === span.key
      ? html`<a href="${links.overview({ span: each.key })}" aria-current="true">${each.key}</a>`
      : html`<a href="${links.overview({ span: each.key })}">${each.key}</a>`,
  );
  return html`<nav class="spans" aria-label="Span of time">${entries}</nav>`;
}
