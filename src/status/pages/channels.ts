// The channels: whether each sends and if not why, what became of its deliveries, what waits and when it goes on. The worst first.

import { waitingCountsTo } from '../../db/channel-rows.ts';
import type { ListedChannel } from '../../db/inspect.ts';
import { type Html, html, plain } from '../html.ts';
import type { Reading } from '../reading.ts';
import type { Piece, Section } from '../section.ts';
import { badge, channelStates, counted, remaining, several, soonest, when } from '../words.ts';
import type { Links, View } from './links.ts';
import { sparkline, sumsOf } from './sparkline.ts';

/** More are shown when somebody asks for all. */
const shownAtFirst = 60;

export function channelsSection(reading: Reading, view: View, links: Links): Section {
  const { channels, span } = reading;
  const shown = view.all ? channels : channels.slice(0, shownAtFirst);
  const left = channels.length - shown.length;
  const next = new Map(reading.slots.toReversed().map((slot) => [slot.channelId, slot.at]));
  const more =
    left === 0
      ? undefined
      : html`<p class="more">${several(left, 'more channel', 'more channels')}: <a href="${links.overview({ all: true })}">show all ${channels.length}</a></p>`;
  const before = html`<section id="channels" class="card" aria-labelledby="channels-words">
<div class="head"><h2 id="channels-words">Channels</h2><p>${countsOf(reading)}</p></div>
${channels.length === 0 ? emptyNote : undefined}
<table class="channels" role="table">
<caption class="unseen">Channels, those that do not send first</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Channel</th><th role="columnheader" scope="col">State</th><th role="columnheader" scope="col">Last ${plain(span.words)}</th><th role="columnheader" scope="col" class="number">Sent</th><th role="columnheader" scope="col" class="number">Failed</th><th role="columnheader" scope="col" class="number">Waiting</th><th role="columnheader" scope="col">Next</th><th role="columnheader" scope="col">Last sent</th></tr></thead>
<tbody role="rowgroup">`;
  const after = html`</tbody></table>${more}</section>`;
  return {
    id: 'channels',
    before: before.text,
    rows: shown.map((channel) => row(channel, reading, links, next.get(channel.channelId))),
    after: after.text,
  };
}

const emptyNote = html`<p class="empty">A channel is a chat, wall or group that posts go to. Name one in a file and apply it:</p><pre><code>outrider apply workspace.yaml</code></pre>`;

function countsOf({ workspace }: Reading): Html {
  const entries = Object.entries(workspace.channels)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => {
      const known = Object.entries(channelStates).find(([name]) => name === state)?.[1];
      return `${count} ${known?.words ?? state}`;
    });
  return plain(entries.join(' · '));
}

function row(
  channel: ListedChannel,
  reading: Reading,
  links: Links,
  next: Date | undefined,
): Piece {
  const { channelId, platform, title, waiting, lastSentAt } = channel;
  const { now, span } = reading;
  const id = `channel-${encodeURIComponent(channelId)}`;
  const history = reading.histories.get(channelId);
  const sums = history === undefined ? { sent: 0, failed: 0 } : sumsOf(history);
  const nothing = html`<span class="nothing">–</span>`;
  const markup = html`<tr role="row" id="${plain(id)}" class="${channelStates[channel.state].tone}">
<th role="rowheader" scope="row"><a href="${links.deliveries({ channelId })}">${nameOf(title, channelId)}</a> <small>${platform}</small></th>
<td role="cell" class="state">${stateOf(channel, now)}</td>
<td role="cell" class="sparks">${sparkline(history, span.bars, span.words)}</td>
<td role="cell" class="number" data-label="Sent">${counted(sums.sent)}</td>
<td role="cell" class="number ${sums.failed > 0 ? 'bad' : ''}" data-label="Failed">${counted(sums.failed)}</td>
<td role="cell" class="number" data-label="Waiting">${counted(waiting, waiting >= waitingCountsTo)}</td>
<td role="cell" data-label="Next">${next === undefined ? nothing : soonest(next, now)}</td>
<td role="cell" data-label="Last sent">${lastSentAt === null ? nothing : when(lastSentAt, now)}</td>
</tr>`;
  return { id, html: markup.text };
}

function nameOf(title: string | null, channelId: string): Html {
  return title === null || title === channelId
    ? html`<b>${channelId}</b>`
    : html`<b>${title}</b> <small>${channelId}</small>`;
}

/** The state that ends last, what is being sent, and how many errors came in a row. */
function stateOf(channel: ListedChannel, now: Date): Html {
  const { state, stateUntil, stateReason, sending, errorStreak, gates, rateGroup } = channel;
  const known = channelStates[state];
  // Somebody's order is no trouble.
  const isOrder = stateReason?.startsWith('by ') === true && ['paused', 'disabled'].includes(state);
  const shown = badge(isOrder ? { ...known, tone: 'off' } : known);
  const until = stateUntil === null ? undefined : html` ${remaining(stateUntil, now)}`;
  const sends = sending === 0 ? undefined : html` <small>${sending} being sent</small>`;
  // What is wrong with a group is said once, where the groups are.
  const why = gates[0]?.of_group === true ? `rate group ${rateGroup}` : stateReason;
  const streak =
    errorStreak > 1 && state === 'open'
      ? html` <small>${several(errorStreak, 'error')} in a row</small>`
      : undefined;
  return html`${shown}${until}${sends}${why === null ? undefined : html` <span class="why">${why}</span>`}${streak}`;
}
