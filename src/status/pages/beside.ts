// What stands beside the channels: rate groups, what goes out next, what failed lately, alerts that are over, sources, bot, outbox,
// processes.

import type { ListedRateGroup } from '../../db/inspect.ts';
import type { ListedSource } from '../../db/pull.ts';
import type { ListedService } from '../../db/status.ts';
import { type Html, html, plain } from '../html.ts';
import type { Installation, Reading } from '../reading.ts';
import { type Section, section } from '../section.ts';
import {
  badge,
  channelStates,
  code,
  counted,
  remaining,
  several,
  soonest,
  statusBadge,
  type Tone,
  when,
} from '../words.ts';
import type { Links } from './links.ts';

export function besideSections(reading: Reading, links: Links): Section[] {
  const { installation } = reading;
  return [
    nextSection(reading, links),
    failuresSection(reading, links),
    groupsSection(reading),
    sourcesSection(reading),
    botSection(reading),
    ...(installation === undefined
      ? []
      : [outboxSection(installation), servicesSection(installation, reading.now)]),
    resolvedSection(reading),
  ];
}

function card(id: string, title: string, body: Html): Section {
  return section(
    id,
    html`<section id="${plain(id)}" class="card" aria-labelledby="${plain(id)}-words"><h2 id="${plain(id)}-words">${title}</h2>${body}</section>`,
  );
}

function listOr(entries: readonly Html[], nothing: string): Html {
  if (entries.length === 0) return html`<p class="empty">${nothing}</p>`;
  return html`<ul class="list">${entries.map((each) => html`<li>${each}</li>`)}</ul>`;
}

const slotsShown = 8;

function nextSection({ slots, channels, now }: Reading, links: Links): Section {
  const titles = new Map(channels.map((each) => [each.channelId, each.title ?? each.channelId]));
  const entries = slots
    .slice(0, slotsShown)
    .map(
      ({ channelId, deliveryId, at }) =>
        html`<a href="${links.post(deliveryId)}">${titles.get(channelId) ?? channelId}</a> <span class="side">${soonest(at, now)}</span>`,
    );
  return card('next', 'Next to go out', listOr(entries, 'Nothing waits for its slot.'));
}

function failuresSection({ failures, now }: Reading, links: Links): Section {
  const entries = failures.map(
    ({ deliveryId, channelId, status, failedAt, errorCode, errorMessage, excerpt }) =>
      html`<a href="${links.post(deliveryId)}">${excerpt === '' ? '(no text)' : excerpt}</a> <small>${statusBadge(status)} ${when(failedAt, now)} in ${channelId}: ${[errorCode, errorMessage].filter((each) => each !== null).join(': ')}</small>`,
  );
  return card('failures', 'Failed lately', listOr(entries, 'Nothing has failed.'));
}

function groupsSection({ groups, now }: Reading): Section {
  const entries = groups.map((group) => groupEntry(group, now));
  return card('groups', 'Rate groups', listOr(entries, 'There is no rate group yet.'));
}

function groupEntry(group: ListedRateGroup, now: Date): Html {
  const { platform, rateGroup, state, stateUntil, stateReason, rateRps, channels } = group;
  const known = channelStates[state];
  const until = stateUntil === null ? undefined : html` ${remaining(stateUntil, now)}`;
  const pace = rateRps === null || rateRps === 0 ? 'no limit' : paceOf(rateRps);
  return html`<b>${rateGroup}</b> <small>${platform}</small> <span class="side">${badge(known)}${until}</span><small>${several(channels, 'channel')}, ${pace}${stateReason === null ? undefined : html`. ${code(stateReason)}`}</small>`;
}

/** A pace as people say it: 25 per second, 1 every 3 s. */
function paceOf(perSecond: number): string {
  if (perSecond >= 1) return `${Math.round(perSecond * 10) / 10} per second`;
  return `1 every ${Math.round(10 / perSecond) / 10} s`;
}

const sourceTones: Readonly<Record<ListedSource['state'], Tone>> = {
  disabled: 'off',
  pulling: 'good',
  failing: 'bad',
  held: 'waits',
  due: 'waits',
  manual: 'off',
  waiting: 'good',
};

function sourcesSection({ sources, now }: Reading): Section {
  const entries = sources.map((source) => {
    const { sourceId, kind, state, pulledAt, nextPullAt, itemsTaken, lastError } = source;
    const read = pulledAt === null ? html`never read` : html`read ${when(pulledAt, now)}`;
    const next = nextPullAt === null ? undefined : html`, next ${soonest(nextPullAt, now)}`;
    return html`<b>${sourceId}</b> <small>${kind}</small> <span class="side">${badge({ tone: sourceTones[state], words: state })}</span><small>${read}${next}, ${several(itemsTaken, 'item')} in all${state === 'failing' && lastError !== null ? html`. ${lastError}` : undefined}</small>`;
  });
  return card(
    'sources',
    'Sources',
    listOr(entries, 'No source is read; posts come by HTTP and SQL.'),
  );
}

function botSection({ bot, now }: Reading): Section {
  if (bot.endpoints === 0 && bot.last_message_at === null) {
    return card('bot', 'Bot', html`<p class="empty">There is no bot.</p>`);
  }
  const { last_message_at: last, oldest_reply_at: reply, oldest_handover_at: person } = bot;
  return card(
    'bot',
    'Bot',
    facts([
      [
        'Messages in the last hour',
        html`${counted(bot.messages_last_hour)}${last === null ? undefined : html` <small>the last ${when(last, now)}</small>`}`,
      ],
      ['Without a rule', counted(bot.missed_last_hour)],
      ['Turns to do', counted(bot.waiting_turns)],
      [
        'Answers on their way',
        html`${counted(bot.waiting_replies)}${reply === null ? undefined : html` <small>since ${when(reply, now)}</small>`}`,
      ],
      [
        'Chats that wait for a person',
        html`${counted(bot.waiting_for_a_person)}${person === null ? undefined : html` <small>since ${when(person, now)}</small>`}`,
      ],
      ['Answers lost today', counted(bot.failed_last_day)],
    ]),
  );
}

function facts(rows: readonly (readonly [string, Html])[]): Html {
  return html`<dl class="pairs">${rows.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function outboxSection({ outbox }: Installation): Section {
  const { unpublished, failed, published_last_hour: published, cut } = outbox;
  const oldest = outbox.oldest_unpublished_seconds;
  if (unpublished + failed + published === 0) {
    return card('outbox', 'Outbox', html`<p class="empty">No event waits.</p>`);
  }
  const age =
    oldest === null ? undefined : html` <small>the oldest for ${Math.round(oldest)} s</small>`;
  return card(
    'outbox',
    'Outbox',
    facts([
      ['Unpublished', html`${counted(unpublished, cut.includes('unpublished'))}${age}`],
      [
        'Given up',
        html`<span class="${failed > 0 ? 'bad' : ''}">${counted(failed, cut.includes('failed'))}</span>`,
      ],
      ['Published in the last hour', counted(published, cut.includes('published_last_hour'))],
    ]),
  );
}

const serviceTones: Readonly<Record<ListedService['state'], Tone>> = {
  ready: 'good',
  not_ready: 'waits',
  silent: 'bad',
};

function servicesSection({ services }: Installation, now: Date): Section {
  const entries = services.map(
    ({ host, pid, version, roles, state, startedAt, seenAt, storeRefuses }) =>
      html`<b>${roles.join(', ')}</b> <span class="side">${badge({ tone: serviceTones[state], words: state.replace('_', ' ') })}</span><small>${plain(`${host}, process ${pid}, version ${version}`)}, started ${when(startedAt, now)}${state === 'silent' ? html`, last seen ${when(seenAt, now)}` : undefined}${storeRefuses === null ? undefined : html`. ${storeRefuses}`}</small>`,
  );
  return card(
    'services',
    'Processes',
    listOr(entries, 'No process has given a sign of life today.'),
  );
}

function resolvedSection({ resolved, now }: Reading): Section {
  const entries = resolved.map(
    ({ summary, resolvedAt }) =>
      html`${summary} <small>over ${resolvedAt === null ? undefined : when(resolvedAt, now)}</small>`,
  );
  return card('resolved', 'Alerts that are over', listOr(entries, 'There was none.'));
}
