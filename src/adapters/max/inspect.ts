// Looks at the chat of a channel: whether it is there, and whether the bot may post in it.

import { z } from 'zod';
import type { ChatInspection, PostingFault, SendChannel } from '../adapter.ts';
import { recoded } from '../answer.ts';
import { judge } from './answers.ts';
import type { Api } from './api.ts';
import { readTarget } from './target.ts';

const chatShape = z.object({
  chat_id: z.number(),
  type: z.string(),
  status: z.string().nullish().catch(undefined),
  title: z.string().nullish().catch(undefined),
});

const memberShape = z.object({
  is_owner: z.boolean().nullish().catch(undefined),
  is_admin: z.boolean().nullish().catch(undefined),
  permissions: z.array(z.string()).nullish().catch(undefined),
});

type Member = z.output<typeof memberShape>;

export async function inspectChat(api: Api, channel: SendChannel): Promise<ChatInspection> {
  const target = readTarget(channel);
  if ('code' in target) return { ok: false, error: target };
  const { recipient } = target;
  // MAX shows a person only what the person writes: there is nothing to ask.
  if ('user_id' in recipient) {
    return { ok: true, chatId: channel.targetId, title: undefined, faults: [] };
  }
  const path = `/chats/${recipient.chat_id}`;
  const chat = judge(await api.call({ method: 'GET', path }), 'read', chatShape, api.now());
  if (!chat.ok) return refused(chat.error);
  const { type, status, title } = chat.value;
  const found = {
    ok: true,
    chatId: String(chat.value.chat_id),
    title: title ?? undefined,
  } as const;
  const standing = statusFaults(type, status ?? 'active');
  if (standing.length > 0 || type === 'dialog') return { ...found, faults: standing };

  const own = `${path}/members/me`;
  const reply = await api.call({ method: 'GET', path: own });
  const member = judge(reply, 'read', memberShape, api.now());
  if (!member.ok) return refused(member.error);
  return { ...found, faults: memberFaults(type, member.value) };
}

/** What a look at a chat does not find is the chat. */
function refused(
  error: Extract<ChatInspection, { ok: false }>['error'],
): Extract<ChatInspection, { ok: false }> {
  const isMissing = error.code === 'message_not_found';
  return { ok: false, error: isMissing ? recoded(error, 'chat_not_found') : error };
}

function statusFaults(type: string, status: string): PostingFault[] {
  if (status === 'active') return [];
  if (type === 'dialog') {
    return [
      {
        blocks: true,
        message: 'the person has stopped the bot, or the bot is not published',
        remedy: 'let the person start the bot again, or publish the bot',
      },
    ];
  }
  const remedy = 'add the bot again as an administrator who may write';
  return [{ blocks: true, message: `the bot has no place in the chat (it is ${status})`, remedy }];
}

function memberFaults(type: string, member: Member): PostingFault[] {
  const { is_owner: isOwner, is_admin: isAdmin, permissions } = member;
  const what = type === 'channel' ? 'channel' : 'chat';
  if (isOwner === true) return [];
  if (isAdmin !== true) {
    return [
      {
        blocks: true,
        message: `the bot is no administrator of the ${what}, and a bot can only post as one`,
        remedy: 'make the bot an administrator who may write',
      },
    ];
  }
  const mayWrite = !permissions || permissions.length === 0 || permissions.includes('write');
  if (mayWrite) return [];
  return [
    {
      blocks: true,
      message: `the bot is an administrator of the ${what} without the right to write`,
      remedy: 'give the bot the right to write',
    },
  ];
}
