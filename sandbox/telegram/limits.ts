// The limits that Telegram does not publish.

import type { FloodWindow } from '../flood.ts';
import { tooManyRequests } from './refusals.ts';
import type { Bot, Chat, World } from './world.ts';

/** Counts the messages for chat, group and bot, or refuses them all. */
export function countMessages(
  world: World,
  bot: Bot,
  chat: Chat,
  call: { readonly count: number; readonly paid: boolean },
): void {
  const { limits } = world;
  const windows: FloodWindow[] = [];
  const add = (name: string, span: (typeof limits)['chat']) => {
    if (span !== undefined) windows.push({ key: `${bot.user.id} ${name}`, ...span });
  };
  add(`chat ${chat.id}`, limits.chat);
  if (chat.type === 'group' || chat.type === 'supergroup') add(`group ${chat.id}`, limits.group);
  // Paid broadcasts may exceed the limit of the bot by far.
  if (!call.paid) add('bot', limits.bot);
  const wait = world.flood.take(windows, call.count);
  if (wait > 0) throw tooManyRequests(Math.ceil(wait / 1000));
}
