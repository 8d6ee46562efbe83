// Updates of MAX. MAX gives them no id: a message is known by its own, a pressed button by that of the callback.

import { z } from 'zod';
import { type BotPlatform, nameOf, notDialog, type ReadUpdate, timeOf } from '../platform.ts';
import { shortId } from '../short-id.ts';

const Person = z.object({
  user_id: z.int(),
  name: z.string().nullish(),
  first_name: z.string().nullish(),
  is_bot: z.boolean().nullish(),
});

type Someone = z.output<typeof Person>;

const Message = z.object({
  recipient: z.object({ chat_id: z.int(), chat_type: z.string() }),
  /** A forward has none. */
  body: z.object({ mid: z.string().min(1), text: z.string().nullish() }).nullish(),
});

const time = z.number().min(0).max(8.64e15);

const Created = z
  .object({ timestamp: time, message: Message.extend({ sender: Person.nullish() }) })
  .transform(fromMessage);

const Pressed = z
  .object({
    timestamp: time,
    callback: z.object({
      callback_id: z.string().min(1),
      payload: z.string().nullish(),
      user: Person,
    }),
    /** None when the message is gone. */
    message: Message.nullish(),
  })
  .transform(fromButton);

const Started = z
  .object({ timestamp: time, chat_id: z.int(), user: Person, payload: z.string().nullish() })
  .transform(fromStart);

/** The updates that are answered, by their type. */
const readers = new Map<string, z.ZodType<ReadUpdate>>([
  ['message_created', Created],
  ['message_callback', Pressed],
  ['bot_started', Started],
]);

export const max: BotPlatform = {
  name: 'max',
  secretHeader: 'x-max-bot-api-secret',
  readUpdate(body) {
    const named = z.object({ update_type: z.string() }).safeParse(body);
    if (!named.success) return { kind: 'unreadable', why: 'it has no update_type' };
    const { update_type: type } = named.data;
    const reader = readers.get(type);
    if (reader === undefined) {
      return { kind: 'ignored', why: `updates of the type ${type.slice(0, 64)} are not answered` };
    }
    const read = reader.safeParse(body);
    if (read.success) return read.data;
    const places = read.error.issues.map(({ path }) => path.join('.'));
    return { kind: 'unreadable', why: `it is not as MAX writes it: ${places.join(', ')}` };
  },
};

interface GivenMessage {
  readonly timestamp: number;
  readonly message: z.output<typeof Message> & { sender?: Someone | null | undefined };
}

function fromMessage({ timestamp, message }: GivenMessage): ReadUpdate {
  const { recipient, body, sender } = message;
  if (recipient.chat_type !== 'dialog') return notDialog;
  if (!body) return { kind: 'ignored', why: 'the message has no text of its own' };
  if (!sender || sender.is_bot) return { kind: 'ignored', why: 'no person wrote it' };
  return {
    kind: 'update',
    update: {
      kind: 'message',
      chatId: String(recipient.chat_id),
      providerMessageId: shortId(body.mid),
      text: body.text ?? '',
      sender: senderOf(sender),
      ts: timeOf(timestamp),
    },
  };
}

interface GivenButton {
  readonly timestamp: number;
  readonly callback: {
    readonly callback_id: string;
    readonly payload?: string | null | undefined;
    readonly user: Someone;
  };
  readonly message?: z.output<typeof Message> | null | undefined;
}

function fromButton({ timestamp, callback, message }: GivenButton): ReadUpdate {
  if (!message) return { kind: 'ignored', why: 'the message of the button is gone' };
  if (message.recipient.chat_type !== 'dialog') return notDialog;
  return {
    kind: 'update',
    update: {
      kind: 'button',
      chatId: String(message.recipient.chat_id),
      providerMessageId: shortId(`button:${callback.callback_id}`),
      payload: callback.payload ?? '',
      sender: senderOf(callback.user),
      callbackId: callback.callback_id.slice(0, 512),
      ts: timeOf(timestamp),
    },
  };
}

interface GivenStart {
  readonly timestamp: number;
  readonly chat_id: number;
  readonly user: Someone;
  readonly payload?: string | null | undefined;
}

function fromStart({ timestamp, chat_id: chatId, user, payload }: GivenStart): ReadUpdate {
  return {
    kind: 'update',
    update: {
      kind: 'started',
      chatId: String(chatId),
      providerMessageId: `started:${user.user_id}:${timestamp}`,
      payload: payload ?? undefined,
      sender: senderOf(user),
      ts: timeOf(timestamp),
    },
  };
}

function senderOf({ user_id: id, name, first_name: firstName }: Someone) {
  return { id: String(id), name: nameOf(name ?? firstName) };
}
