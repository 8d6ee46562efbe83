// deleteMessage and deleteMessages.

import { requireChat } from './access.ts';
import type { Call, Method } from './call.ts';
import { decode, isList } from './json.ts';
import { leadingInteger } from './parameters.ts';
import { refusal } from './refusals.ts';
import { type Message, membershipOf, unixTime } from './world.ts';

const deletableSeconds = 48 * 60 * 60;
const atOnceMost = 100;

export const deleteMessage: Method = (call) => {
  const { world, bot, parameters } = call;
  if (parameters.text('chat_id') === '') throw refusal('Chat identifier is not specified');
  const id = parameters.integer('message_id', 0);
  if (id === 0) throw refusal('Message identifier is not specified');
  const chat = requireChat(world, bot, parameters, 'write');
  const message = chat.messages.get(id);
  if (message === undefined) throw refusal('message to delete not found');
  checkDeletable(call, message);
  chat.messages.delete(id);
  return true;
};

/** Skips messages that do not exist. */
export const deleteMessages: Method = (call) => {
  const { world, bot, parameters } = call;
  const ids = parseIds(parameters.text('message_ids'));
  const chat = requireChat(world, bot, parameters, 'write');
  const messages = ids.flatMap((id) => chat.messages.get(id) ?? []);
  for (const message of messages) checkDeletable(call, message);
  for (const { id } of messages) chat.messages.delete(id);
  return true;
};

function checkDeletable({ world, bot }: Call, { chat, from, date }: Message): void {
  const { canDelete } = membershipOf(chat, bot);
  if (canDelete) return;
  if (from.id !== bot.user.id && chat.type !== 'private') throw refusal('MESSAGE_DELETE_FORBIDDEN');
  if (unixTime(world) - date > deletableSeconds) {
    throw refusal("Message can't be deleted for everyone");
  }
}

function parseIds(text: string): number[] {
  if (text === '') throw refusal('Message identifiers are not specified');
  const list = decode(text, "Can't parse message_ids JSON object");
  if (!isList(list)) throw refusal('Expected an Array of message identifiers');
  if (list.length > atOnceMost) throw refusal('Too many message identifiers specified');
  const ids = list.map((value) => {
    if (typeof value !== 'number' && typeof value !== 'string') {
      throw refusal('Message identifier must be a Number');
    }
    const id = leadingInteger(String(value));
    if (id <= 0) throw refusal('Invalid message identifier specified');
    return id;
  });
  if (ids.length === 0) throw refusal('Message identifiers are not specified');
  return ids;
}
