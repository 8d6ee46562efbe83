// /me and /chats.

import { z } from 'zod';
import { chatOf, checkMayRead, checkMember, readNumber } from './access.ts';
import type { Call, Method } from './call.ts';
import type { Json } from './json.ts';
import { botJson, chatJson, messageJson, personJson } from './message-json.ts';
import { readBody } from './new-message.ts';
import { accessDenied, answer, failure, invalid, noLink, notFound, success } from './replies.ts';
import { type Chat, type Member, personOf, type World } from './world.ts';

export const getMe: Method = ({ world, bot }) => answer(botJson(world, bot));

const commandsShape = z.object({
  commands: z
    .array(
      z.object({
        name: z.string().min(1).max(64),
        description: z.string().min(1).max(128).nullish(),
      }),
    )
    .max(32),
});

export const setCommands: Method = ({ bot, request }) => {
  bot.commands = readBody(request, commandsShape).commands;
  return answer({ commands: bot.commands });
};

export const getChat: Method = (call) => {
  const named = call.parts['chatId'] ?? '';
  const chat = /^-?\d/.test(named) ? addressed(call) : channelByLink(call.world, named);
  return answer(chatJson(call.world, chat, call.bot));
};

function channelByLink(world: World, named: string): Chat {
  const link = named.replace(/^@/, '');
  const found = [...world.chats.values()].find(
    (chat) => chat.type === 'channel' && chat.link === link,
  );
  if (found === undefined) throw noLink();
  return found;
}

/** The chat of the path, which the bot must be in. */
function addressed({ world, bot, parts }: Call): Chat {
  const chat = chatOf(world, bot, readNumber(parts['chatId']) ?? 0);
  checkMember(chat, bot);
  return chat;
}

/** The same, where the bot must be an admin (assumed: refused as access.denied). */
function managed(call: Call): Chat {
  const chat = addressed(call);
  if (chat.members.get(call.bot.userId)?.admin !== true) throw accessDenied();
  return chat;
}

const patchShape = z.object({
  title: z.string().nullish(),
  description: z.string().nullish(),
  pin: z.string().nullish(),
  icon: z.record(z.string(), z.unknown()).nullish(),
  notify: z.boolean().nullish(),
});

export const patchChat: Method = (call) => {
  const chat = managed(call);
  const { title, description, pin } = readBody(call.request, patchShape);
  if (typeof title === 'string') {
    if (title.length < 1 || title.length > 200)
      throw invalid('title: size must be between 1 and 200');
    chat.title = title;
  }
  if (typeof description === 'string') chat.description = description;
  if (typeof pin === 'string') {
    if (!chat.posts.has(pin)) throw notFound('Message not found');
    chat.pinned = pin;
  }
  return answer(chatJson(call.world, chat, call.bot));
};

const actionShape = z.object({
  action: z.enum(['typing_on', 'sending_photo', 'sending_video', 'sending_audio', 'sending_file']),
});

export const sendAction: Method = (call) => {
  readBody(call.request, actionShape);
  checkMayRead(addressed(call), call.bot);
  return success();
};

export const getPinned: Method = (call) => {
  const { pinned } = addressed(call);
  const message = pinned === undefined ? undefined : call.world.messages.get(pinned);
  return answer({ message: message === undefined ? null : messageJson(call.world, message) });
};

const pinShape = z.object({ message_id: z.string(), notify: z.boolean().nullish() });

export const pinMessage: Method = (call) => {
  const { message_id: mid } = readBody(call.request, pinShape);
  const chat = managed(call);
  if (!chat.posts.has(mid)) return failure('Message not found');
  chat.pinned = mid;
  return success();
};

export const unpinMessage: Method = (call) => {
  const chat = managed(call);
  if (chat.pinned === undefined) return failure('No pinned message');
  chat.pinned = undefined;
  return success();
};

const adminRights = [
  'add_admins',
  'edit_link',
  'pin_message',
  'change_chat_info',
  'add_remove_members',
  'can_call',
  'write',
  'read_all_messages',
];

function memberJson(world: World, userId: number, member: Member): Json {
  const person = personOf(world, userId);
  return {
    last_access_time: world.clock.now(),
    is_owner: false,
    is_admin: member.admin,
    join_time: member.joined,
    permissions: member.admin ? adminRights : null,
    ...(person === undefined ? { user_id: userId } : personJson(world, person)),
  };
}

export const getMembership: Method = (call) => {
  const member = addressed(call).members.get(call.bot.userId);
  if (member === undefined) throw notFound('Member not found');
  return answer(memberJson(call.world, call.bot.userId, member));
};

export const leaveChat: Method = (call) => {
  const chat = addressed(call);
  // Assumed: a dialog cannot be left.
  if (chat.type === 'dialog') return failure('Dialog cannot be left');
  chat.members.delete(call.bot.userId);
  return success();
};

export const getMembers: Method = (call) => listMembers(call, () => true);

export const getAdmins: Method = (call) => listMembers(call, (member) => member.admin);

function listMembers(call: Call, wanted: (member: Member) => boolean) {
  const members = [...managed(call).members].filter(([, member]) => wanted(member));
  return answer({
    members: members.map(([userId, member]) => memberJson(call.world, userId, member)),
  });
}
