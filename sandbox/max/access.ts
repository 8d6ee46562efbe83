// Finds the chat of a call, and checks what the bot may do there. "Assumed" marks what no source says.

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

/** A number in a query or a path, such as an id or a count; undefined if it is missing. */
export function readNumber(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  // The words of the refusal are assumed.
  if (!/^-?\d{1,16}$/.test(value)) throw invalid(`"${value}" is not a number`);
  return Number(value);
}

/** The chat that POST /messages sends to. If the call names both a chat and a user, the chat counts (assumed). */
export function recipient(world: World, bot: Bot, query: URLSearchParams): Chat {
  const chatId = readNumber(query.get('chat_id'));
  if (chatId === 0) throw zeroChat();
  if (chatId !== undefined) return chatOf(world, bot, chatId);
  const userId = readNumber(query.get('user_id'));
  // The words of the refusal are assumed.
  if (userId === undefined) throw invalid('Unknown recipient');
  if (world.makesChats && userId > 0) addDialog(world, bot, userId);
  const dialog = dialogOf(world, bot.userId, userId);
  if (dialog === undefined) throw noDialog();
  return dialog;
}

/** A chat by its id. For this bot, the dialog of another bot does not exist. */
export function chatOf(world: World, bot: Bot, chatId: number): Chat {
  if (world.makesChats && !world.chats.has(chatId)) makeChat(world, bot, chatId);
  const chat = world.chats.get(chatId);
  const isOfAnotherBot = chat?.type === 'dialog' && !chat.members.has(bot.userId);
  if (chat === undefined || isOfAnotherBot) throw noChat(chatId);
  return chat;
}

/** Makes the chat that a call names: a dialog if its id is positive, otherwise a channel with the bot as an admin. */
function makeChat(world: World, bot: Bot, chatId: number): void {
  if (chatId > 0) addDialog(world, bot, chatId, chatId);
  else
    addGroup(
      world,
      { type: 'channel', chat_id: chatId, title: `Chat ${chatId}`, admin: true },
      bot,
    );
}

/** A group or channel takes messages of its admins only. A bot that was removed gets the same refusal (assumed). */
export function checkMayWrite(chat: Chat, bot: Bot): void {
  if (chat.type === 'dialog') checkDialog(chat, bot);
  else if (chat.members.get(bot.userId)?.admin !== true) throw notAdmin();
}

/** Only admins may list the messages of a group or channel. */
export function checkMayRead(chat: Chat, bot: Bot): void {
  if (chat.type === 'dialog') checkDialog(chat, bot);
  else if (chat.members.get(bot.userId)?.admin !== true) throw unreadableChat();
}

/** Every member may ask what the chat is. */
export function checkMember(chat: Chat, bot: Bot): void {
  if (!chat.members.has(bot.userId)) throw unreadableChat();
}

function checkDialog(chat: Chat, bot: Bot): void {
  if (chat.suspended || !bot.published) throw suspendedDialog();
}
