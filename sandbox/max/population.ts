// Makes bots, people and chats.

import type { Events } from './events.ts';
import { personJson } from './message-json.ts';
import {
  addChat,
  type Bot,
  type Chat,
  dialogOf,
  fullName,
  type Member,
  type Person,
  type World,
} from './world.ts';

/** The given id, or the first free one upwards. */
function freeId(taken: (id: number) => boolean, given: number | undefined, first: number): number {
  if (given !== undefined) return given;
  let id = first;
  while (taken(id)) id += 1;
  return id;
}

export function findBot(world: World, named: string | number | undefined): Bot {
  const bots = [...world.bots.values()];
  const fits = (bot: Bot) => bot.token === named || bot.userId === named;
  const found = named === undefined ? bots : bots.filter(fits);
  const [bot, second] = found;
  if (bot === undefined) throw new Error('There is no such bot: add it with "bots" first.');
  if (second !== undefined) throw new Error('There are several bots: name one with "bot".');
  return bot;
}

export function addBot(
  world: World,
  body: {
    readonly token: string;
    readonly user_id?: number | undefined;
    readonly first_name: string;
    readonly username?: string | undefined;
    readonly description?: string | undefined;
    readonly revoked: boolean;
    readonly blocked: boolean;
    readonly published: boolean;
  },
): unknown {
  const known = [...world.bots.values()].find((each) => each.token === body.token);
  const taken = (id: number) => world.bots.has(id);
  const userId = known?.userId ?? freeId(taken, body.user_id, 200_000_001);
  if (known === undefined && (taken(userId) || world.users.has(userId))) {
    throw new Error(`The user id ${userId} is taken.`);
  }
  const bot: Bot = {
    userId,
    isBot: true,
    token: body.token,
    firstName: body.first_name,
    username: body.username ?? `bot_${userId}`,
    description: body.description,
    commands: known?.commands ?? [],
    revoked: body.revoked,
    blocked: body.blocked,
    published: body.published,
  };
  world.bots.set(userId, bot);
  return { user_id: userId, token: bot.token };
}

export function addUser(
  world: World,
  body: {
    readonly user_id?: number | undefined;
    readonly first_name: string;
    readonly last_name?: string | undefined;
    readonly username?: string | undefined;
  },
): unknown {
  const userId = freeId((id) => world.users.has(id), body.user_id, 100_000_001);
  if (world.bots.has(userId)) throw new Error(`The user id ${userId} is a bot's.`);
  const user: Person = {
    userId,
    isBot: false,
    firstName: body.first_name,
    lastName: body.last_name,
    username: body.username,
  };
  world.users.set(userId, user);
  return { user_id: userId };
}

/** The person with that id; made up when nobody has added one. */
export function userOf(world: World, userId: number): Person {
  if (!world.users.has(userId)) addUser(world, { user_id: userId, first_name: `User ${userId}` });
  const user = world.users.get(userId);
  if (user === undefined) throw new Error(`There is no user ${userId}.`);
  return user;
}

export function addDialog(
  world: World,
  bot: Bot,
  userId: number,
  given?: number,
): { chat_id: number } {
  const known = dialogOf(world, bot.userId, userId);
  if (known !== undefined) return { chat_id: known.chatId };
  const user = userOf(world, userId);
  const chatId = freeId((id) => world.chats.has(id), given, 300_000_001);
  const joined = world.clock.now();
  addNew(world, {
    ...emptyChat(world, chatId),
    type: 'dialog',
    title: fullName(user),
    members: new Map([
      [bot.userId, { admin: false, joined }],
      [userId, { admin: false, joined }],
    ]),
  });
  return { chat_id: chatId };
}

export function addGroup(
  world: World,
  body: {
    readonly type: 'chat' | 'channel';
    readonly chat_id?: number | undefined;
    readonly title: string;
    readonly description?: string | undefined;
    readonly link?: string | undefined;
    readonly admin: boolean;
  },
  bot: Bot,
): unknown {
  const chatId = freeId((id) => world.chats.has(id), body.chat_id, -70_000_000_000_000);
  const member: Member = { admin: body.admin, joined: world.clock.now() };
  addNew(world, {
    ...emptyChat(world, chatId),
    type: body.type,
    title: body.title,
    description: body.description,
    link: body.link,
    members: new Map([[bot.userId, member]]),
  });
  return { chat_id: chatId };
}

function emptyChat(world: World, chatId: number) {
  return { chatId, suspended: false, lastEvent: world.clock.now(), posts: new Map() };
}

function addNew(world: World, chat: Chat): void {
  if (world.chats.has(chat.chatId)) throw new Error(`The chat id ${chat.chatId} is taken.`);
  addChat(world, chat);
}

export function setMembership(
  world: World,
  events: Events,
  body: {
    readonly chat_id: number;
    readonly bot?: string | number | undefined;
    readonly user_id: number;
    readonly member: boolean;
    readonly admin: boolean;
  },
): unknown {
  const chat = world.chats.get(body.chat_id);
  if (chat === undefined || chat.type === 'dialog') {
    throw new Error(`There is no group or channel ${body.chat_id}.`);
  }
  const bot = findBot(world, body.bot);
  const before = chat.members.get(bot.userId);
  const fields = {
    chat_id: chat.chatId,
    user: personJson(world, userOf(world, body.user_id)),
    is_channel: chat.type === 'channel',
  };
  if (body.member) {
    const joined = before?.joined ?? world.clock.now();
    chat.members.set(bot.userId, { admin: body.admin, joined });
    if (before === undefined) events.tell(bot, 'bot_added', fields);
  } else {
    chat.members.delete(bot.userId);
    if (before !== undefined) events.tell(bot, 'bot_removed', fields);
  }
  return { chat_id: chat.chatId };
}
