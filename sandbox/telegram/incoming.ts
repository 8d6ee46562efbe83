// What people do in the chats; bots hear of it as updates.

import { memberJson } from './chat-methods.ts';
import { findEntities } from './found-entities.ts';
import { chatJson, messageJson } from './message-json.ts';
import {
  addMessage,
  type Bot,
  type Chat,
  type Membership,
  type Message,
  membershipOf,
  type User,
  unixTime,
  type World,
} from './world.ts';

const callbackLifeMs = 150_000;

/** A person writes. In a channel the post comes from the channel. */
export function say(world: World, chat: Chat, from: User, text: string): Message {
  const body = { text, entities: findEntities(text) };
  const message = addMessage(world, { chat, from, content: { kind: 'text', body } });
  announce(world, message);
  return message;
}

function announce(world: World, message: Message): void {
  const { chat } = message;
  const type = chat.type === 'channel' ? 'channel_post' : 'message';
  for (const bot of presentBots(world, chat)) {
    bot.updates.add(type, messageJson(world, bot, message), `chat ${chat.id}`);
  }
}

function presentBots(world: World, chat: Chat): Bot[] {
  return [...world.bots.values()].filter((bot) => {
    const { status } = membershipOf(chat, bot);
    return !bot.revoked && status !== 'left' && status !== 'kicked';
  });
}

/** A person presses a button below a message of a bot. Returns the id of the query. */
export function press(world: World, message: Message, from: User, data: string): string {
  const id = String(4_000_000_000_000n + BigInt(world.nextSerial()));
  const bot = [...world.bots.values()].find((each) => each.user.id === message.from.id);
  if (bot === undefined) throw new Error('No bot has written that message.');
  world.callbacks.set(id, { bot, expires: world.clock.now() + callbackLifeMs });
  const query = {
    id,
    from,
    message: messageJson(world, bot, message),
    chat_instance: String(message.chat.id * 7919),
    data,
  };
  bot.updates.add('callback_query', query, `chat ${message.chat.id}`, callbackLifeMs);
  return id;
}

/** Changes the bot's membership of the chat; the bot hears of it. */
export function setMembership(world: World, chat: Chat, bot: Bot, membership: Membership): void {
  const before = memberJson(chat, bot);
  chat.members.set(bot.user.id, membership);
  const after = memberJson(chat, bot);
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const change = {
    chat: chatJson(chat),
    from: personOf(chat),
    date: unixTime(world),
    old_chat_member: before,
    new_chat_member: after,
  };
  bot.updates.add('my_chat_member', change, `chat ${chat.id}`);
}

/** Who acts in the chat when the order names nobody: in a private chat, its user. */
export function personOf(chat: Chat): User {
  const personal = chat.type === 'private';
  return {
    id: personal ? chat.id : 777_001,
    is_bot: false,
    first_name: personal ? (chat.firstName ?? 'User') : 'Somebody',
    ...(personal && chat.username !== undefined && { username: chat.username }),
  };
}

/** Turns a group into a supergroup: from now on the old chat refuses messages, and the new one takes them. */
export function migrate(world: World, chat: Chat, to?: number): Chat {
  const { migratedTo: _, ...kept } = chat;
  const fresh: Chat = {
    ...kept,
    id: to ?? freeId(world, -1_000_000_000_000 - Math.abs(chat.id % 1_000_000_000_000)),
    type: 'supergroup',
    state: 'active',
    members: new Map(chat.members),
    topics: new Map(),
    messages: new Map(),
    lastMessageId: 0,
  };
  world.chats.set(fresh.id, fresh);
  chat.migratedTo = fresh.id;
  announceService(world, chat, { migrate_to_chat_id: fresh.id });
  announceService(world, fresh, { migrate_from_chat_id: chat.id });
  return fresh;
}

function freeId(world: World, wanted: number): number {
  let id = wanted;
  while (world.chats.has(id)) id -= 1;
  return id;
}

function announceService(world: World, chat: Chat, fields: object): void {
  const content = { kind: 'service', fields } as const;
  announce(world, addMessage(world, { chat, from: personOf(chat), content }));
}
