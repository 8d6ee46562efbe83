// Who may do what in which chat.

import { addDialog, addGroup } from './population.ts';
import {
  invalid,
  noChat,
  noDialog,
  notAdmin,
  suspendedDialog,
  unreadableChat,
  zeroChat,
} from './replies.ts';
import { type Bot, type Chat, dialogOf, type World } from './world.ts';

/** A number from a query or a path; undefined when it is missing. */
export function readId(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  // The words are assumed.
  if (!/^-?\d{1,16}$/.test(value)) throw invalid(`"${value}" is not a number`);
  return Number(value);
}

/** The chat that POST /messages addresses. Assumed: with both, chat_id counts. */
export function recipient(world: World, bot: Bot, query: URLSearchParams): Chat {
  const chatId = readId(query.get('chat_id'));
  if (chatId === 0) throw zeroChat();
  if (chatId !== undefined) return chatOf(world, bot, chatId);
  const userId = readId(query.get('user_id'));
  // The words are assumed.
  if (userId === undefined) throw invalid('Unknown recipient');
  if (world.makesChats && userId > 0) addDialog(world, bot, userId);
  const dialog = dialogOf(world, bot.userId, userId);
  if (dialog === undefined) throw noDialog();
  return dialog;
}

/** A chat by its id. A dialog of another bot counts as missing. */
export function chatOf(world: World, bot: Bot, chatId: number): Chat {
  if (world.makesChats && !world.chats.has(chatId)) makeChat(world, bot, chatId);
  const chat = world.chats.get(chatId);
  const foreign = chat?.type === 'dialog' && !chat.members.has(bot.userId);
  if (chat === undefined || foreign) throw noChat(chatId);
  return chat;
}

/** The ids of channels are negative, those of dialogs positive. */
function makeChat(world: World, bot: Bot, chatId: number): void {
  if (chatId > 0) addDialog(world, bot, chatId, chatId);
  else
    addGroup(
      world,
      { type: 'channel', chat_id: chatId, title: `Chat ${chatId}`, admin: true },
      bot,
    );
}

/** Assumed: a bot that was removed gets the same answer as one that is not an admin. */
export function checkMayWrite(chat: Chat, bot: Bot): void {
  if (chat.type === 'dialog') checkDialog(chat, bot);
  else if (chat.members.get(bot.userId)?.admin !== true) throw notAdmin();
}

export function checkMayRead(chat: Chat, bot: Bot): void {
  if (chat.type === 'dialog') checkDialog(chat, bot);
  else if (chat.members.get(bot.userId)?.admin !== true) throw unreadableChat();
}

export function checkMember(chat: Chat, bot: Bot): void {
  if (!chat.members.has(bot.userId)) throw unreadableChat();
}

function checkDialog(chat: Chat, bot: Bot): void {
  if (chat.suspended || !bot.published) throw suspendedDialog();
}
