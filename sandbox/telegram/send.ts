// sendMessage and the methods that send one file. The checks have the order of the server: first the parameters, then
// the chat, then the content, last the core.

import { requireChat, requireRightToSend } from './access.ts';
import type { Call, Method } from './call.ts';
import type { FormattedText } from './entities.ts';
import { decode, isObject, optionalFlag, requiredInteger } from './json.ts';
import { checkKeyboard, type Keyboard, keptKeyboard, parseKeyboard } from './keyboard.ts';
import { countMessages } from './limits.ts';
import { findSource, readyFile } from './media.ts';
import { messageJson } from './message-json.ts';
import type { Parameters } from './parameters.ts';
import { refusal } from './refusals.ts';
import { finishCaption, finishText, parseCaption, parseMessageText } from './text.ts';
import type { TextContent } from './world.ts';
import { addMessage, type Chat, type MediaContent, type MediaKind, type Message } from './world.ts';

/** Where a message goes, and its thread, reply and keyboard. */
export interface Envelope {
  readonly chat: Chat;
  readonly thread: number | undefined;
  readonly replyTo: number | undefined;
  readonly keyboard: Keyboard | undefined;
}

export const sendMessage: Method = (call) => {
  const body = parseMessageText(call.parameters);
  const linkPreview = parseLinkPreview(call.parameters);
  const envelope = readEnvelope(call);
  requireRightToSend(call.world, call.bot, envelope.chat, 'text');
  const content: TextContent = {
    kind: 'text',
    body: finishText(body),
    ...(linkPreview !== undefined && { linkPreview }),
  };
  return answer(call, post(call, envelope, [content]));
};

export function sendMedia(kind: MediaKind): Method {
  return (call) => {
    const { world, bot, parameters } = call;
    const source = findSource(parameters, kind);
    if (source === undefined) throw refusal(`There is no ${kind} in the request`);
    const caption = parseCaption(parameters);
    const envelope = readEnvelope(call);
    requireRightToSend(world, bot, envelope.chat, kind);
    const { file, core } = readyFile(world, bot, kind, source);
    const content = mediaContent(kind, file, finishCaption(caption), {
      flag: (name) => parameters.flag(name),
      text: (name) => parameters.text(name),
    });
    if (core !== undefined) throw refusal(core);
    return answer(call, post(call, envelope, [content]));
  };
}

const factNames = ['width', 'height', 'duration'];

export function mediaContent(
  kind: MediaKind,
  file: MediaContent['file'],
  body: FormattedText,
  given: { flag(name: string): boolean; text(name: string): string },
): MediaContent {
  const numbers = factNames.map((name) => [name, Number(given.text(name))] as const);
  const words = ['title', 'performer'].map((name) => [name, given.text(name)] as const);
  const facts: MediaContent['facts'] = Object.fromEntries<string | number>([
    ...numbers.filter(([, value]) => Number.isInteger(value) && value > 0),
    ...words.filter(([, value]) => value !== ''),
  ]);
  return {
    kind,
    file,
    body,
    facts,
    spoiler: given.flag('has_spoiler'),
    above: given.flag('show_caption_above_media'),
  };
}

/** Reads where the message goes. The bot must be able to write to the chat. */
export function readEnvelope(call: Call): Envelope {
  const { world, bot, parameters } = call;
  const reply = parseReply(parameters);
  const keyboard = parseKeyboard(parameters);
  const chat = requireChat(world, bot, parameters, 'write');
  const number = parameters.integer('message_thread_id', 0, [0, 2_147_483_647]);
  const thread = number === 0 ? undefined : number;
  if (thread !== undefined && !chat.topics.has(thread)) throw refusal('message thread not found');
  const found = reply !== undefined && chat.messages.has(reply.id);
  if (reply?.required === true && !found) throw refusal('message to be replied not found');
  return { chat, thread, keyboard, replyTo: found ? reply.id : undefined };
}

/** Puts the messages into the chat, all of them or none. */
export function post(
  call: Call,
  { chat, thread, replyTo, keyboard }: Envelope,
  contents: readonly (TextContent | MediaContent)[],
  album?: string,
): Message[] {
  const { world, bot, parameters } = call;
  checkKeyboard(keyboard);
  if (thread !== undefined && chat.topics.get(thread) === 'closed') throw refusal('TOPIC_CLOSED');
  const paid = parameters.flag('allow_paid_broadcast');
  countMessages(world, bot, chat, { count: contents.length, paid });
  return contents.map((content) =>
    addMessage(world, {
      chat,
      content,
      thread,
      replyTo,
      from: bot.user,
      keyboard: keptKeyboard(keyboard),
      ...(album !== undefined && { album }),
    }),
  );
}

function answer({ world, bot }: Call, messages: readonly Message[]): object[] | object {
  return messages.map((message) => messageJson(world, bot, message))[0] ?? {};
}

function parseReply(
  parameters: Parameters,
): { readonly id: number; readonly required: boolean } | undefined {
  const text = parameters.text('reply_parameters');
  if (text === '') {
    const id = parameters.integer('reply_to_message_id', 0);
    return id > 0 ? { id, required: !parameters.flag('allow_sending_without_reply') } : undefined;
  }
  const value = decode(text, "Can't parse reply parameters JSON object");
  if (!isObject(value)) throw refusal('Object expected as reply parameters');
  if (Object.keys(value).length === 0) return undefined;
  const id = requiredInteger(value, 'message_id');
  return { id, required: !optionalFlag(value, 'allow_sending_without_reply') };
}

export function parseLinkPreview(parameters: Parameters): object | undefined {
  const text = parameters.text('link_preview_options');
  if (text === '') {
    return parameters.flag('disable_web_page_preview') ? { is_disabled: true } : undefined;
  }
  const value = decode(text, "Can't parse link preview options JSON object");
  if (!isObject(value)) throw refusal('Object expected as link preview options');
  const flags = ['is_disabled', 'prefer_small_media', 'prefer_large_media', 'show_above_text'];
  const set = flags
    .filter((name) => optionalFlag(value, name))
    .map((name) => [name, true] as const);
  const url = value['url'];
  return { ...Object.fromEntries(set), ...(typeof url === 'string' && { url }) };
}
