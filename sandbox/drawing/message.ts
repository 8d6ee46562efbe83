// One message: a bubble in a chat, or a post on a wall.

import { drawAttachments } from './attachments.ts';
import { drawButtons } from './buttons.ts';
import type { DrawnChat, DrawnMessage } from './drawn-chat.ts';
import { escapeHtml } from './escape.ts';
import { safeMarkup, wordsOf } from './safe-markup.ts';
import { drawTime } from './time.ts';

const excerptLength = 90;

export function drawBubble(chat: DrawnChat, message: DrawnMessage): string {
  if (message.service) return drawService(message);
  const own = message.own ? ' own' : '';
  const author = message.author === undefined || message.own ? '' : drawAuthor(message.author);
  const inside = `${author}${drawQuote(chat, message)}${drawBody(message)}${drawFacts(message)}`;
  const buttons = drawButtons(message, chat.pressForm);
  return `<li class="message${own}" data-message="${escapeHtml(message.id)}"><article class="bubble">${inside}</article>${buttons}</li>`;
}

export function drawPost(chat: DrawnChat, message: DrawnMessage): string {
  if (message.service) return drawService(message);
  const name = message.author ?? chat.title;
  const head = `<header class="post-head">${drawAvatar(name)}<div>${drawAuthor(name)}${drawFacts(message)}</div></header>`;
  const inside = `${head}${drawQuote(chat, message)}${drawBody(message)}${drawButtons(message, chat.pressForm)}${reactions}`;
  return `<li class="message" data-message="${escapeHtml(message.id)}"><article class="post">${inside}</article></li>`;
}

/** A circle with the first letters of a name. */
export function drawAvatar(name: string): string {
  const words = name.split(/[\s_]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letters = words.slice(0, 2).map((word) => /^./u.exec(word)?.[0] ?? '');
  const colour = Buffer.from(name).reduce((sum, byte) => sum + byte, 0) % 7;
  return `<span class="avatar colour-${colour}" aria-hidden="true">${escapeHtml(letters.join('').toUpperCase() || '•')}</span>`;
}

function drawService({ id, html }: DrawnMessage): string {
  return `<li class="service" data-message="${escapeHtml(id)}"><span dir="auto">${safeMarkup(html)}</span></li>`;
}

function drawAuthor(name: string): string {
  return `<bdi class="author">${escapeHtml(name)}</bdi>`;
}

/** The message that this one answers, in short. */
function drawQuote({ messages }: DrawnChat, { replyTo }: DrawnMessage): string {
  if (replyTo === undefined) return '';
  const quoted = messages.find(({ id }) => id === replyTo);
  if (quoted === undefined) {
    return '<blockquote class="quoted"><span class="quoted-text">A message that is not there any more</span></blockquote>';
  }
  const author = quoted.author === undefined ? '' : drawAuthor(quoted.author);
  const text = `<span class="quoted-text" dir="auto">${escapeHtml(excerptOf(quoted))}</span>`;
  return `<blockquote class="quoted" data-reply-to="${escapeHtml(replyTo)}">${author}${text}</blockquote>`;
}

function excerptOf({ html, attachments }: DrawnMessage): string {
  const words = wordsOf(html).replaceAll(/\s+/g, ' ').trim();
  const shown = words === '' ? attachments.map(({ kind }) => kind).join(', ') : words;
  return shown.length > excerptLength ? `${shown.slice(0, excerptLength).toWellFormed()}…` : shown;
}

function drawBody({ html, attachments }: DrawnMessage): string {
  const text = html === '' ? '' : `<div class="text" dir="auto">${safeMarkup(html)}</div>`;
  return `${drawAttachments(attachments)}${text}`;
}

function drawFacts({ time, edited, pinned }: DrawnMessage): string {
  const facts = [
    ...(pinned ? ['<span class="pinned">pinned</span>'] : []),
    ...(edited ? ['<span class="edited">edited</span>'] : []),
    ...(time === undefined ? [] : [drawTime(time)]),
  ];
  return facts.length === 0 ? '' : `<p class="facts">${facts.join(' ')}</p>`;
}

const reactions = `<p class="reactions" aria-hidden="true">${[
  'M12 20s-7-4.6-7-9.6A3.9 3.9 0 0112 8a3.9 3.9 0 017 2.4C19 15.4 12 20 12 20z',
  'M5 6h14v10h-7l-4 4v-4H5z',
  'M13 6l7 6-7 6v-4c-5 0-7 2-8 4 0-5 3-8 8-8z',
]
  .map((path) => `<span><svg viewBox="0 0 24 24"><path d="${path}"/></svg></span>`)
  .join('')}</p>`;
