// A whole chat: its head, and its messages in the look of their platform.

import type { DrawnChat } from './drawn-chat.ts';
import { escapeHtml } from './escape.ts';
import { lookOf } from './looks.ts';
import { drawAvatar, drawBubble, drawPost } from './message.ts';

/** HTML without scripts and styles; everything that came from outside is escaped, or made safe markup. */
export function drawChat(chat: DrawnChat): string {
  const look = lookOf(chat.platform);
  const kind = chat.kind ?? look.usualKind;
  const isWall = kind === 'wall';
  const messages = isWall ? chat.messages.toReversed() : chat.messages;
  const draw = isWall ? drawPost : drawBubble;
  const list = messages.map((message) => draw(chat, message)).join('');
  const id = chat.id ?? chat.title;
  const data = `data-platform="${escapeHtml(chat.platform)}" data-chat="${escapeHtml(id)}" data-kind="${kind}"`;
  const words = `${chat.title}, ${chat.platform}`;
  const body =
    list === '' ? '<p class="nothing">Nothing here yet</p>' : `<ol class="messages">${list}</ol>`;
  return `<section class="chat look-${look.name}" ${data} aria-label="${escapeHtml(words)}">${drawHead(chat, look.title)}<div class="scroll" tabindex="0" role="group" aria-label="Messages of ${escapeHtml(words)}">${body}</div>${chat.footer ?? ''}</section>`;
}

function drawHead(
  { title, subtitle, platform, headingLevel = 2 }: DrawnChat,
  app?: string,
): string {
  const heading = `<h${headingLevel} class="chat-title"><bdi>${escapeHtml(title)}</bdi></h${headingLevel}>`;
  const line =
    subtitle === undefined ? '' : `<p class="chat-subtitle"><bdi>${escapeHtml(subtitle)}</bdi></p>`;
  return `<header class="chat-head">${drawAvatar(title)}<div class="chat-names">${heading}${line}</div><span class="app">${escapeHtml(app ?? platform)}</span></header>`;
}
