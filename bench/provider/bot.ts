// The bot and the chats that every contender posts to, and what a post reads like there.

import type { Post } from '../post.ts';

/** No secret: it opens nothing but the provider of a run. */
export const botToken = '4200:AAtoken-of_the-bench-opens-nothing-else';
export const chatCount = 40;

const beforeFirst = -1_001_000_000_000;

/** The chats are numbered from 1, as the channels of a workspace are. */
export function chatId(number: number): string {
  return String(beforeFirst - number);
}

export function chatTitle(id: number): string {
  return `channel-${beforeFirst - id}`;
}

/** As Outrider renders it: what everybody sends has the same bytes. */
export function textOf({ title, text, url }: Post): string {
  return `${title}\n\n${text}\n\n${url}`;
}
