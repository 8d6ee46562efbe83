// What people do and bots hear of as events: start and stop a bot, write, edit, remove, press a button.

import type { Events } from './events.ts';
import { messageJson, personJson } from './message-json.ts';
import { createCallbackId, postMessage } from './message-methods.ts';
import { addDialog, findBot, userOf } from './population.ts';
import { type Bot, type Chat, type Message, removeMessage, type World } from './world.ts';

type BotName = string | number | undefined;

const locale = 'ru';

/** The dialog between the bot and the user; opened if there is none. */
function dialogWith(world: World, bot: Bot, userId: number): Chat {
  const { chat_id: chatId } = addDialog(world, bot, userId);
  return chatById(world, chatId);
}

function chatById(world: World, chatId: number): Chat {
  const chat = world.chats.get(chatId);
  if (chat === undefined) throw new Error(`There is no chat ${chatId}.`);
  return chat;
}

function messageById(world: World, mid: string): Message {
  const message = world.messages.get(mid);
  if (message === undefined) throw new Error(`There is no message ${mid}.`);
  return message;
}

export function startBot(
  world: World,
  events: Events,
  body: { readonly bot?: BotName; readonly user_id: number; readonly payload?: string | undefined },
): unknown {
  const bot = findBot(world, body.bot);
  const chat = dialogWith(world, bot, body.user_id);
  chat.suspended = false;
  events.tell(bot, 'bot_started', {
    chat_id: chat.chatId,
    user: personJson(world, userOf(world, body.user_id)),
    // MAX leaves longer ones out.
    payload: (body.payload?.length ?? 0) > 512 ? undefined : body.payload,
    user_locale: locale,
    user_id: body.user_id,
  });
  return { chat_id: chat.chatId };
}

export function stopBot(
  world: World,
  events: Events,
  body: { readonly bot?: BotName; readonly user_id: number },
): unknown {
  const bot = findBot(world, body.bot);
  const chat = dialogWith(world, bot, body.user_id);
  chat.suspended = true;
  events.tell(bot, 'bot_stopped', {
    chat_id: chat.chatId,
    user: personJson(world, userOf(world, body.user_id)),
    user_locale: locale,
  });
  return { chat_id: chat.chatId };
}

/** Into a chat, or to a bot. */
export function writeAsUser(
  world: World,
  events: Events,
  body: {
    readonly chat_id?: number | undefined;
    readonly bot?: BotName;
    readonly user_id: number;
    readonly text: string;
    readonly reply_to?: string | undefined;
  },
): unknown {
  const chat =
    body.chat_id === undefined
      ? dialogWith(world, findBot(world, body.bot), body.user_id)
      : chatById(world, body.chat_id);
  userOf(world, body.user_id);
  if (!chat.members.has(body.user_id)) {
    if (chat.type === 'dialog') throw new Error(`User ${body.user_id} is not in this dialog.`);
    chat.members.set(body.user_id, { admin: false, joined: world.clock.now() });
  }
  const replied = body.reply_to === undefined ? undefined : messageById(world, body.reply_to);
  const message = postMessage(world, chat, body.user_id, {
    content: { text: body.text, marks: [] },
    link: replied === undefined ? undefined : { type: 'reply', message: replied },
  });
  events.tellChat(chat, 'message_created', {
    message: messageJson(world, message),
    user_locale: chat.type === 'dialog' ? locale : undefined,
  });
  return { message_id: message.mid, chat_id: chat.chatId };
}

export function editAsUser(
  world: World,
  events: Events,
  body: { readonly message_id: string; readonly text: string },
): unknown {
  const message = messageById(world, body.message_id);
  message.content = { text: body.text, marks: [] };
  message.editedAt = world.clock.now();
  events.tellChat(chatById(world, message.chatId), 'message_edited', {
    message: messageJson(world, message),
  });
  return { message_id: message.mid };
}

export function removeAsUser(
  world: World,
  events: Events,
  body: { readonly message_id: string; readonly user_id: number },
): unknown {
  const message = messageById(world, body.message_id);
  const chat = chatById(world, message.chatId);
  removeMessage(world, chat, message);
  events.tellChat(chat, 'message_removed', {
    message_id: message.mid,
    chat_id: chat.chatId,
    user_id: body.user_id,
  });
  return { message_id: message.mid };
}

export function pressButton(
  world: World,
  events: Events,
  body: { readonly message_id: string; readonly user_id: number; readonly payload: string },
): unknown {
  const message = messageById(world, body.message_id);
  const buttons = message.keyboard?.rows.flat() ?? [];
  const offered = buttons.some((each) => each.type === 'callback' && each.payload === body.payload);
  const bot = world.bots.get(message.senderId);
  if (!offered || bot === undefined) {
    throw new Error(`This message has no callback button with the payload "${body.payload}".`);
  }
  const callbackId = createCallbackId();
  world.callbacks.set(callbackId, { mid: message.mid, botId: bot.userId, userId: body.user_id });
  events.tell(bot, 'message_callback', {
    callback: {
      timestamp: world.clock.now(),
      callback_id: callbackId,
      user: personJson(world, userOf(world, body.user_id)),
      payload: body.payload,
    },
    message: messageJson(world, message),
    user_locale: locale,
  });
  return { callback_id: callbackId };
}
