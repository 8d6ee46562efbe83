// Messages, people and chats as the API shows them.

import type { Json } from './json.ts';
import { markJson } from './markup.ts';
import { linkOf } from './mid.ts';
import {
  type Bot,
  type Chat,
  fullName,
  type Keyboard,
  type Message,
  type Person,
  partnerOf,
  personOf,
  type World,
} from './world.ts';

export function personJson(world: World, person: Person): Record<string, Json> {
  return {
    user_id: person.userId,
    first_name: person.firstName,
    last_name: person.lastName,
    username: person.username,
    is_bot: person.isBot,
    last_activity_time: world.clock.now(),
    name: fullName(person),
  };
}

export function botJson(world: World, bot: Bot): Json {
  const commands = bot.commands.length > 0 ? bot.commands : undefined;
  return { ...personJson(world, bot), description: bot.description, commands };
}

function keyboardJson(keyboard: Keyboard): Json {
  const buttons = keyboard.rows.map((row) =>
    row.map((button) => ({ ...button, intent: 'default' })),
  );
  return { callback_id: keyboard.callbackId, payload: { buttons }, type: 'inline_keyboard' };
}

function bodyJson(message: Message): Json {
  const attachments = [
    ...message.attachments.map((attachment) => attachment.json),
    ...(message.keyboard === undefined ? [] : [keyboardJson(message.keyboard)]),
  ];
  const { text, marks } = message.content;
  return {
    mid: message.mid,
    seq: message.seq,
    text,
    attachments: attachments.length > 0 ? attachments : undefined,
    markup: marks.length > 0 ? marks.map(markJson) : undefined,
  };
}

export function messageJson(world: World, message: Message): Json {
  const chat = world.chats.get(message.chatId);
  const sender = personOf(world, message.senderId);
  return {
    recipient: {
      chat_id: message.chatId,
      chat_type: chat?.type,
      user_id: chat?.type === 'dialog' ? receiverOf(chat, message) : undefined,
    },
    timestamp: message.timestamp,
    body: bodyJson(message),
    // Posts of a channel have no sender: they come from the channel.
    sender:
      sender === undefined || chat?.type === 'channel' ? undefined : personJson(world, sender),
    link: message.link === undefined ? undefined : linkJson(world, message),
    stat: chat?.type === 'channel' ? { views: 0 } : undefined,
    url: chat?.type === 'channel' ? postUrl(chat, message) : undefined,
  };
}

function receiverOf(chat: Chat, message: Message): number | undefined {
  return [...chat.members.keys()].find((member) => member !== message.senderId);
}

function postUrl(chat: Chat, message: Message): string {
  return `https://max.ru/${chat.link ?? `c/${chat.chatId}`}/${linkOf(message.seq)}`;
}

function linkJson(world: World, { link }: Message): Json {
  if (link === undefined) return undefined;
  const sender = personOf(world, link.message.senderId);
  return {
    type: link.type,
    message: bodyJson(link.message),
    sender: sender === undefined ? undefined : personJson(world, sender),
    chat_id: link.type === 'forward' ? link.message.chatId : undefined,
  };
}

export function chatJson(world: World, chat: Chat, bot: Bot): Json {
  const common = {
    chat_id: chat.chatId,
    type: chat.type,
    status: chat.suspended ? 'suspended' : chat.members.has(bot.userId) ? 'active' : 'removed',
    last_event_time: chat.lastEvent,
    participants_count: chat.members.size,
  };
  if (chat.type === 'dialog') {
    const partner = partnerOf(world, chat);
    const user = partner === undefined ? undefined : personJson(world, partner);
    return { ...common, is_public: false, dialog_with_user: user };
  }
  const pinned = chat.pinned === undefined ? undefined : world.messages.get(chat.pinned);
  return {
    ...common,
    title: chat.title,
    is_public: chat.link !== undefined,
    description: chat.description,
    participants: Object.fromEntries(
      [...chat.members.keys()].map((member) => [String(member), chat.lastEvent]),
    ),
    link: chat.link === undefined ? undefined : `https://max.ru/${chat.link}`,
    messages_count: chat.posts.size,
    pinned_message: pinned === undefined ? undefined : messageJson(world, pinned),
  };
}
