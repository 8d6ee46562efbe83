// Looks at the chat of a channel: whether it is there, and whether the bot may post in it.

import { z } from 'zod';
import type { ChatInspection, PostingFault, SendChannel } from '../adapter.ts';
import { asRead } from '../answer.ts';
import type { Caller } from '../caller.ts';
import type { TelegramApi } from './api.ts';
import { readTarget } from './target.ts';

const right = z.boolean().optional().catch(undefined);

/** What members may send, unless they are administrators; a right that is not named is not known. */
const Rights = z.object({
  can_send_messages: right,
  can_send_photos: right,
  can_send_videos: right,
  can_send_audios: right,
  can_send_documents: right,
});

const Chat = z.object({
  id: z.int(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
  first_name: z.string().optional(),
  is_forum: right,
  permissions: Rights.optional().catch(undefined),
});

const Member = Rights.extend({
  status: z.enum(['creator', 'administrator', 'member', 'restricted', 'left', 'kicked']),
  is_member: right,
  can_post_messages: right,
});

type Chat = z.output<typeof Chat>;
type Member = z.output<typeof Member>;

/** A group takes 20 messages a minute. */
const groupRps = 20 / 60;

export async function inspectChat(
  api: TelegramApi,
  channel: SendChannel,
  caller: Caller,
): Promise<ChatInspection> {
  const target = readTarget(channel);
  if ('code' in target) return { ok: false, error: target };
  const parameters = { chat_id: target.chatId };
  const chat = await api.call(caller, { method: 'getChat', parameters }, Chat);
  if (!chat.ok) return { ok: false, error: asRead(chat.error) };
  const { id, type, title, first_name: firstName } = chat.value;
  const found = { ok: true, chatId: String(id), title: title ?? firstName } as const;
  // Whether a person has blocked the bot shows when a message is sent.
  if (type === 'private') return { ...found, faults: [] };

  const asked = { chat_id: target.chatId, user_id: botOf(caller.token) };
  const member = await api.call(caller, { method: 'getChatMember', parameters: asked }, Member);
  if (!member.ok) return { ok: false, error: asRead(member.error) };
  const faults = [
    ...membershipFaults(chat.value, member.value),
    ...topicFaults(chat.value, target.manner.message_thread_id),
  ];
  return { ...found, faults, ...(type === 'channel' ? {} : { channelRps: groupRps }) };
}

/** The number before the colon of a token is the id of its bot. */
function botOf(token: string): number {
  return Number.parseInt(token, 10);
}

function membershipFaults(chat: Chat, member: Member): PostingFault[] {
  const { status } = member;
  const what = chat.type === 'channel' ? 'channel' : 'group';
  const isOut =
    status === 'left' ||
    status === 'kicked' ||
    (status === 'restricted' && member.is_member === false);
  if (isOut) {
    const says = status === 'kicked' ? `was removed from the ${what}` : `is not in the ${what}`;
    const message = `the bot ${says}`;
    return [{ blocks: true, message, remedy: `add the bot to the ${what} again${asAdmin(chat)}` }];
  }
  if (status === 'creator') return [];
  if (chat.type === 'channel') return channelFaults(member);
  // What an administrator of a group may send is not restricted.
  if (status === 'administrator') return [];
  return sendingFaults(status === 'restricted' ? member : (chat.permissions ?? {}));
}

function asAdmin({ type }: Chat): string {
  return type === 'channel' ? ' as an administrator who may post messages' : '';
}

function channelFaults({ status, can_post_messages: mayPost }: Member): PostingFault[] {
  if (status !== 'administrator') {
    return [
      {
        blocks: true,
        message: 'the bot is no administrator of the channel, and only they can post',
        remedy: 'make the bot an administrator who may post messages',
      },
    ];
  }
  if (mayPost !== false) return [];
  return [
    {
      blocks: true,
      message: 'the bot is an administrator of the channel without the right to post messages',
      remedy: 'give the bot the right to post messages',
    },
  ];
}

const kinds = [
  ['can_send_photos', 'photos'],
  ['can_send_videos', 'videos'],
  ['can_send_audios', 'music'],
  ['can_send_documents', 'files'],
] as const;

function sendingFaults(rights: z.output<typeof Rights>): PostingFault[] {
  if (rights.can_send_messages === false) {
    return [
      {
        blocks: true,
        message: 'the bot may not send messages to the group',
        remedy: 'let members send messages there, or make the bot an administrator',
      },
    ];
  }
  const denied = kinds.filter(([name]) => rights[name] === false).map(([, words]) => words);
  if (denied.length === 0) return [];
  return [
    {
      blocks: false,
      message: `the bot may not send ${denied.join(', ')} to the group`,
      remedy:
        'let members send them there, make the bot an administrator, or set send_mode: text for the channel',
    },
  ];
}

function topicFaults(chat: Chat, topic: number | undefined): PostingFault[] {
  if (topic === undefined || chat.is_forum === true) return [];
  return [
    {
      blocks: true,
      message: `settings.message_thread_id names topic ${topic}, and the chat has no topics`,
      remedy: 'take message_thread_id out of the settings of the channel, or turn topics on',
    },
  ];
}
