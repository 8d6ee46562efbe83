// The parts of the page that change: each is replaced as a whole when it has.

import { escapeHtml } from '../drawing/escape.ts';
import type { ChatView } from '../simulator.ts';
import { isMovable } from './acts.ts';
import { drawView } from './shown-chats.ts';
import type { SeenCall, StageState } from './state.ts';
import { faultSwitches, isOn, otherFaults } from './switches.ts';

/** How much of the world one page shows: so many chats of a platform, and so many messages of each. */
const mostChats = 60;
const mostMessages = 60;

export interface Part {
  readonly name: string;
  readonly html: string;
  /** Of a chat: the platform that it stands under. */
  readonly group?: string;
}

export function drawParts(state: StageState, mayAct: boolean): Part[] {
  return [
    ...drawChats(state, mayAct),
    part('said', drawSaid(state)),
    part('posts', drawPosts(state)),
    part('faults', drawFaults(state, mayAct)),
    part('clock', drawClock(state)),
    part('calls', drawCalls(state)),
  ];
}

function part(name: string, inside: string): Part {
  return { name, html: `<div data-part="${name}">${inside}</div>` };
}

/** A platform with many chats takes no room from another one. */
function drawChats(state: StageState, mayAct: boolean): Part[] {
  return state.simulators.flatMap((simulator) => {
    const all = simulator.chats();
    const newest = new Set(all.toSorted(byNewest).slice(0, mostChats));
    const shown = all.filter((view) => newest.has(view));
    const chats = shown.map((view) => {
      const name = `chat/${simulator.platform}/${view.chat}`;
      const drawing = { most: mostMessages, mayAct, headingLevel: 3 } as const;
      const html = `<div class="place" data-part="${escapeHtml(name)}">${drawView(simulator, view, drawing)}</div>`;
      return { name, html, group: simulator.platform };
    });
    return [...drawLeftOut(simulator.platform, all.length - shown.length), ...chats];
  });
}

function drawLeftOut(platform: string, count: number): Part[] {
  if (count === 0) return [];
  const words = `${count} ${count === 1 ? 'chat' : 'chats'} with older posts not shown`;
  return [{ ...part(`left-out/${platform}`, `<p class="quiet">${words}</p>`), group: platform }];
}

function byNewest(a: ChatView, b: ChatView): number {
  const [ofA, ofB] = [newestIn(a), newestIn(b)];
  return ofA < ofB ? 1 : ofA > ofB ? -1 : 0;
}

function newestIn({ posts }: ChatView): string {
  return posts.at(-1)?.sentAt ?? '';
}

function drawSaid({ said }: StageState): string {
  if (said === undefined) return '';
  return `<p class="said ${said.isGood ? 'good' : 'bad'}">${escapeHtml(said.words)}</p>`;
}

function drawPosts({ outrider, posts }: StageState): string {
  if (outrider === undefined) return '';
  if (posts.length === 0) return '<p class="quiet">No post yet.</p>';
  const items = posts.map(({ id, text, deliveries }) => {
    const lines = deliveries.map(({ channel, status, tone, why }) => {
      const words = why === '' ? '' : `<p class="why">${escapeHtml(why)}</p>`;
      return `<li data-channel="${escapeHtml(channel)}" data-status="${escapeHtml(status)}"><span class="channel">${escapeHtml(channel)}</span> <span class="chip ${tone}">${escapeHtml(status.replaceAll('_', ' '))}</span>${words}</li>`;
    });
    return `<li class="recent" data-post="${escapeHtml(id)}"><p class="excerpt" dir="auto">${escapeHtml(text)}</p><ul>${lines.join('')}</ul></li>`;
  });
  return `<ol class="recents">${items.join('')}</ol>`;
}

function drawFaults(state: StageState, mayAct: boolean): string {
  const platforms = state.simulators.map(({ platform }) => platform);
  const titleOf = (platform: string) => escapeHtml(state.titles[platform] ?? platform);
  const head = platforms.map((platform) => `<th scope="col">${titleOf(platform)}</th>`).join('');
  const rows = faultSwitches.map(({ kind, title, words }) => {
    const cells = platforms.map((platform) => {
      const on = isOn(state, kind, platform);
      const label = `${title} at ${titleOf(platform)}`;
      const value = escapeHtml(`${kind} ${platform}`);
      return `<td><button class="switch" role="switch" aria-checked="${on}" aria-label="${label}" id="fault-${kind}-${escapeHtml(platform)}" name="fault" value="${value}"${mayAct ? '' : ' disabled'}><span></span></button></td>`;
    });
    return `<tr><th scope="row" title="${words}">${title}</th>${cells.join('')}</tr>`;
  });
  const others = otherFaults(state).map(
    (fault) => `<li><code>${escapeHtml(JSON.stringify(fault))}</code></li>`,
  );
  const more =
    others.length === 0
      ? ''
      : `<p class="quiet">Set by orders:</p><ul class="others">${others.join('')}</ul>`;
  return `<form id="faults-form" method="post" action="/stage/fault"><table><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></form>${more}`;
}

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

function drawClock({ clock }: StageState): string {
  const now = clock.now();
  const runs = isMovable(clock) ? clock.runs : true;
  // To the second and not finer: otherwise the part would have changed whenever it is drawn.
  const second = Math.floor(now / 1000) * 1000;
  const shift = runs ? Math.round((now - Date.now()) / 1000) * 1000 : 0;
  const words = runs
    ? `runs${shift > 0 ? `, ${spanInWords(shift)} ahead of this machine` : ' with this machine'}`
    : 'stands still';
  const moment = runs ? Date.now() + shift : second;
  const shown = runs ? '' : ` datetime="${new Date(second).toISOString()}"`;
  return `<p><time id="now" data-shift="${shift}" data-runs="${runs}"${shown}>${runs ? clockFace(moment) : dates.format(moment)}</time> <span class="quiet">${words}</span></p>`;
}

/** Without seconds: a page without scripts does not move them. */
function clockFace(moment: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(
    moment,
  );
}

function spanInWords(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ] as const;
  let left = ms;
  const words = units.flatMap(([size, unit]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return words.join(' ');
}

const seconds = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function drawCalls({ calls, titles }: StageState): string {
  if (calls.length === 0) return '<p class="quiet">No call yet.</p>';
  return `<ol class="calls" tabindex="0" aria-label="Calls, the newest first">${calls.map((call) => drawCall(call, titles)).join('')}</ol>`;
}

function drawCall(call: SeenCall, titles: StageState['titles']): string {
  const { at, platform, method, chat = '', status, refusal } = call;
  const outcome = refusal === undefined ? 'sent' : 'failed';
  const words = refusal === undefined ? '' : `<p class="why">${escapeHtml(refusal)}</p>`;
  return `<li data-platform="${escapeHtml(platform)}" data-status="${status ?? 'none'}"><time>${seconds.format(at)}</time> <span class="channel">${escapeHtml(titles[platform] ?? platform)} ${escapeHtml(method)} ${escapeHtml(chat)}</span> <span class="chip ${outcome}">${status ?? 'no answer'}</span>${words}</li>`;
}
