// /messages and /answers.

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { chatOf, checkMayRead, checkMayWrite, readNumber, recipient } from './access.ts';
import type { Call, Method } from './call.ts';
import { messageJson } from './message-json.ts';
import { midOf } from './mid.ts';
import {
  checkNotEmpty,
  type Draft,
  type NewMessage,
  newMessageShape,
  readBody,
  readDraft,
} from './new-message.ts';
import { accessDenied, answer, failure, invalid, notFound, success } from './replies.ts';
import {
  addMessage,
  type Chat,
  type Keyboard,
  type Message,
  removeMessage,
  type World,
} from './world.ts';

const editWindow = 7 * 24 * 3600 * 1000;

export const sendMessage: Method = (call) => {
  const { world, bot, request } = call;
  const body = readBody(request, newMessageShape);
  const chat = recipient(world, bot, request.query);
  checkMayWrite(chat, bot);
  const draft = readDraft(world, body);
  const forwards = draft.link?.type === 'forward';
  const content = draft.content ?? { text: '', marks: [] };
  checkNotEmpty(content, draft.added?.attachments.length ?? 0, forwards);
  call.checkPace(chat.chatId);
  const message = postMessage(world, chat, bot.userId, { ...draft, content });
  return answer({ message: messageJson(world, message) });
};

/** Puts a message of any sender into the chat. */
export function postMessage(world: World, chat: Chat, senderId: number, draft: Draft): Message {
  const timestamp = world.clock.now();
  const seq = world.nextSeq(timestamp);
  const message: Message = {
    mid: midOf(chat.chatId, seq),
    seq,
    chatId: chat.chatId,
    senderId,
    timestamp,
    link: draft.link,
    content: draft.content ?? { text: '', marks: [] },
    attachments: draft.added?.attachments ?? [],
    keyboard: keyboardOf(draft),
  };
  addMessage(world, chat, message);
  return message;
}

function keyboardOf(draft: Draft): Keyboard | undefined {
  const keyboard = draft.added?.keyboard;
  return keyboard === undefined ? undefined : { ...keyboard, callbackId: createCallbackId() };
}

export function createCallbackId(): string {
  return `f9LHodD0cO${randomBytes(81).toString('base64url')}`;
}

/** Assumed: an edit that cannot be made is a logical failure, shown by the flag. */
export const editMessage: Method = (call) => {
  const { world, bot, request } = call;
  const body = readBody(request, newMessageShape);
  const message = world.messages.get(messageIdOf(call));
  if (message === undefined) return failure('Message not found');
  const chat = chatOf(world, bot, message.chatId);
  checkMayWrite(chat, bot);
  if (message.senderId !== bot.userId) return failure('Message was sent by another user');
  const old = world.clock.now() - message.timestamp >= editWindow;
  if (chat.type === 'dialog' && message.keyboard === undefined && old) {
    return failure('Message is too old to be edited');
  }
  changeMessage(world, message, body);
  return success();
};

/** What the body leaves out stays; an empty list of attachments removes them. */
function changeMessage(world: World, message: Message, body: NewMessage): void {
  const draft = readDraft(world, body);
  const content = draft.content ?? message.content;
  const attachments = draft.added?.attachments ?? message.attachments;
  checkNotEmpty(content, attachments.length, message.link?.type === 'forward');
  message.content = content;
  message.attachments = attachments;
  if (draft.added !== undefined) message.keyboard = keyboardOf(draft);
  message.editedAt = world.clock.now();
}

/** Assumed: to delete a missing message is a logical failure, shown by the flag. */
export const deleteMessage: Method = (call) => {
  const { world, bot } = call;
  const message = world.messages.get(messageIdOf(call));
  if (message === undefined) return failure('Message not found');
  const chat = chatOf(world, bot, message.chatId);
  checkMayWrite(chat, bot);
  if (message.senderId !== bot.userId && chat.type === 'dialog') throw accessDenied();
  removeMessage(world, chat, message);
  return success();
};

function messageIdOf(call: Call): string {
  const messageId = call.request.query.get('message_id') ?? '';
  if (messageId === '') throw invalid('message_id: must not be empty');
  return messageId;
}

export const getMessage: Method = ({ world, bot, parts }) => {
  const message = world.messages.get(parts['messageId'] ?? '');
  const chat = message && world.chats.get(message.chatId);
  if (message === undefined || chat?.members.has(bot.userId) !== true) {
    throw notFound('Message not found');
  }
  return answer(messageJson(world, message));
};

/** Newest first; `from` is the later end of the span and `to` the earlier one. */
export const getMessages: Method = ({ world, bot, request }) => {
  const { query } = request;
  const named = query.get('message_ids') ?? '';
  const chatId = readNumber(query.get('chat_id'));
  if (named === '' && chatId === undefined) {
    throw invalid('One of `chat_id` and `message_ids` is required');
  }
  const count = readNumber(query.get('count')) ?? 50;
  if (count < 1 || count > 100) throw invalid('count: must be between 1 and 100');
  const found =
    chatId === undefined
      ? named.split(',').flatMap((mid) => world.messages.get(mid) ?? [])
      : [...readableChat(world, bot, chatId).posts.values()];
  const from = readNumber(query.get('from')) ?? Infinity;
  const to = readNumber(query.get('to')) ?? 0;
  const wanted = found
    .filter((message) => named === '' || named.split(',').includes(message.mid))
    .filter((message) => world.chats.get(message.chatId)?.members.has(bot.userId))
    .filter((message) => message.timestamp <= from && message.timestamp >= to)
    .toSorted((a, b) => (a.seq < b.seq ? 1 : -1))
    .slice(0, count);
  return answer({ messages: wanted.map((message) => messageJson(world, message)) });
};

function readableChat(world: World, bot: Call['bot'], chatId: number): Chat {
  const chat = chatOf(world, bot, chatId);
  checkMayRead(chat, bot);
  return chat;
}

const answerShape = z.object({
  message: newMessageShape.nullish(),
  notification: z.string().nullish(),
});

export const answerCallback: Method = ({ world, bot, request }) => {
  const body = readBody(request, answerShape);
  const callback = world.callbacks.get(request.query.get('callback_id') ?? '');
  if (callback === undefined || callback.botId !== bot.userId) return failure('Callback not found');
  if (!body.message && !body.notification) throw invalid('errors.required');
  const message = world.messages.get(callback.mid);
  if (body.message) {
    if (message === undefined) return failure('Message not found');
    changeMessage(world, message, body.message);
  }
  if (body.notification) {
    world.notifications.push({ userId: callback.userId, text: body.notification });
  }
  return success();
};
