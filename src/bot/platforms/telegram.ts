// Updates of Telegram. A message is known by its number in the chat, a pressed button by the id of the query.

import { z } from 'zod';
import { type BotPlatform, nameOf, notDialog, type ReadUpdate, timeOf } from '../platform.ts';
import { shortId } from '../short-id.ts';

const Person = z.object({
  id: z.int(),
  is_bot: z.boolean(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});

const Chat = z.object({ id: z.int(), type: z.string() });

const Message = z.object({
  message_id: z.int(),
  date: z.int().min(0).max(8.64e12),
  chat: Chat,
  from: Person.nullish(),
  text: z.string().nullish(),
  caption: z.string().nullish(),
});

const Query = z.object({
  id: z.string().min(1),
  from: Person,
  /** Of an old message little more than its chat is known. */
  message: z.object({ chat: Chat }).nullish(),
  data: z.string().nullish(),
});

const Update = z.object({
  update_id: z.int(),
  message: Message.optional(),
  callback_query: Query.optional(),
});

export const telegram: BotPlatform = {
  name: 'telegram',
  secretHeader: 'x-telegram-bot-api-secret-token',
  readUpdate(body) {
    if (!z.object({ update_id: z.int() }).safeParse(body).success) {
      return { kind: 'unreadable', why: 'it has no update_id' };
    }
    const read = Update.safeParse(body);
    if (!read.success) {
      const places = read.error.issues.map(({ path }) => path.join('.')).join(', ');
      return { kind: 'unreadable', why: `it is not as Telegram writes it: ${places}` };
    }
    const { message, callback_query: query } = read.data;
    if (message !== undefined) return fromMessage(message);
    if (query !== undefined) return fromQuery(query);
    return { kind: 'ignored', why: 'only messages and pressed buttons are answered' };
  },
};

const start = /^\/start(?:@\w+)?(?:\s+(?<payload>.*))?$/s;

function fromMessage(message: z.output<typeof Message>): ReadUpdate {
  const { message_id: id, date, chat, from } = message;
  if (chat.type !== 'private') return notDialog;
  if (!from || from.is_bot) return { kind: 'ignored', why: 'no person wrote it' };
  const text = message.text ?? message.caption ?? '';
  const started = start.exec(text);
  const said =
    started === null
      ? ({ kind: 'message', text } as const)
      : ({ kind: 'started', payload: started.groups?.['payload'] } as const);
  return {
    kind: 'update',
    update: {
      ...said,
      chatId: String(chat.id),
      providerMessageId: String(id),
      sender: senderOf(from),
      ts: timeOf(date * 1000),
    },
  };
}

function fromQuery({ id, from, message, data }: z.output<typeof Query>): ReadUpdate {
  if (!message) return { kind: 'ignored', why: 'the message of the button is gone' };
  if (message.chat.type !== 'private') return notDialog;
  return {
    kind: 'update',
    update: {
      kind: 'button',
      chatId: String(message.chat.id),
      providerMessageId: shortId(`button:${id}`),
      payload: data ?? '',
      sender: senderOf(from),
      callbackId: id.slice(0, 512),
    },
  };
}

function senderOf({ id, first_name: first, last_name: last }: z.output<typeof Person>) {
  return { id: String(id), name: nameOf(first, last) };
}
