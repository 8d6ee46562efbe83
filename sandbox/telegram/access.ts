// Checks whether a bot may reach a chat, and write there.

import { meetChat } from './chats.ts';
import type { Parameters } from './parameters.ts';
import { Refusal, refusal } from './refusals.ts';
import type { Bot, Chat, MessageKind, World } from './world.ts';
import { membershipOf } from './world.ts';

type Access = 'read' | 'edit' | 'write';

/** The chat that the call addresses; refuses when the bot does not have that access to it. */
export function requireChat(world: World, bot: Bot, parameters: Parameters, access: Access): Chat {
  const name = parameters.text('chat_id');
  if (name === '') throw refusal('chat_id is empty');
  const chat = meetChat(world, name);
  if (chat === undefined) throw refusal('chat not found');
  if (access === 'write' && chat.migratedTo !== undefined) throw upgraded(chat.migratedTo);
  if (chat.type === 'private') checkPrivate(chat, access);
  else if (chat.type === 'group') checkGroup(chat, bot, access);
  else checkSupergroup(chat, bot, access);
  return chat;
}

function checkPrivate(chat: Chat, access: Access): void {
  if (chat.state === 'deactivated' && access !== 'read') {
    throw refusal('user is deactivated', 403);
  }
  if (chat.state === 'unknown') throw refusal('private chat not found');
}

function checkGroup(chat: Chat, bot: Bot, access: Access): void {
  if (access === 'write' && chat.state === 'deleted') {
    throw refusal('the group chat was deleted', 403);
  }
  if (access !== 'read') checkPresence(chat, bot);
}

function checkSupergroup(chat: Chat, bot: Bot, access: Access): void {
  const { status } = membershipOf(chat, bot);
  if (status === 'kicked' || access !== 'read' || chat.username === undefined) {
    checkPresence(chat, bot);
  }
}

function checkPresence(chat: Chat, bot: Bot): void {
  const { status } = membershipOf(chat, bot);
  if (status === 'kicked') throw kicked(chat);
  if (status === 'left') throw refusal(`bot is not a member of the ${chat.type} chat`, 403);
}

export function upgraded(to: number): Refusal {
  return new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
    migrate_to_chat_id: to,
  });
}

/** What Telegram says when the bot was removed from the chat. */
export function kicked(chat: Chat): Refusal {
  if (chat.type === 'private') return refusal('USER_IS_BLOCKED');
  return refusal(`bot was kicked from the ${chat.type} chat`, 403);
}

const nouns: Record<MessageKind, string> = {
  text: 'text messages',
  photo: 'photos',
  video: 'videos',
  document: 'documents',
  animation: 'animations',
  audio: 'music',
  voice: 'voice notes',
};

/** What the core checks right before a message is sent. */
export function requireRightToSend(world: World, bot: Bot, chat: Chat, kind: MessageKind): void {
  const { status, denied, refuse } = membershipOf(chat, bot);
  if (chat.type === 'private') {
    const isBot = [...world.bots.values()].some((other) => other.user.id === chat.id);
    if (isBot) throw refusal("The bot can't send messages to the bot", 403);
    if (status === 'left') throw refusal("Bot can't initiate conversation with a user", 403);
    if (status === 'kicked') throw kicked(chat);
  }
  if (chat.type === 'channel' && status !== 'administrator' && status !== 'creator') {
    throw refusal('Need administrator rights in the channel chat');
  }
  if (denied.includes(kind)) throw refusal(`Not enough rights to send ${nouns[kind]} to the chat`);
  if (refuse !== undefined) throw refusal(refuse);
}
