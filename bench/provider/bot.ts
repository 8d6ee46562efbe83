// The bot and the chats that every contender posts to, and the text of a post there.

import type { Post } from '../post.ts';

/** Not a secret: it works with the provider of a run only. */
export const botToken = '4200:AAtoken-of_the-bench-opens-nothing-else';
export const chatCount = 40;

const beforeFirst = -1_001_000_000_000;

/** Chats are numbered from 1, like the channels of a workspace. */
export function chatId(number: number): string {
  return String(beforeFirst - number);
}

export function chatTitle(id: number): string {
  return `channel-${beforeFirst - id}`;
}

/** As Outrider renders it, so all contenders send the same bytes. */
export function textOf({ title, text, url }: Post): string {
  return `${title}\n\n${text}\n\n${url}`;
}
