// The methods that change a message.

import { requireChat } from './access.ts';
import type { Call, Method } from './call.ts';
import { parseInputMedia, readyMedia } from './input-media.ts';
import { decode } from './json.ts';
import { checkKeyboard, keptKeyboard, parseKeyboard } from './keyboard.ts';
import { messageJson } from './message-json.ts';
import { refusal } from './refusals.ts';
import { parseLinkPreview } from './send.ts';
import { finishCaption, finishText, parseCaption, parseMessageText } from './text.ts';
import { type Content, type MediaContent, type Message, unixTime } from './world.ts';

export const editMessageText: Method = (call) => {
  const parsed = parseMessageText(call.parameters);
  const linkPreview = parseLinkPreview(call.parameters);
  return change(call, (message) => {
    if (message.content.kind !== 'text') throw refusal('There is no text in the message to edit');
    const body = finishText(parsed);
    return { kind: 'text', body, ...(linkPreview !== undefined && { linkPreview }) };
  });
};

export const editMessageCaption: Method = (call) => {
  const parsed = parseCaption(call.parameters);
  const above = call.parameters.flag('show_caption_above_media');
  return change(call, ({ content }) => {
    if (content.kind === 'text' || content.kind === 'service') {
      throw refusal('There is no caption in the message to edit');
    }
    return { ...content, body: finishCaption(parsed), above };
  });
};

export const editMessageMedia: Method = (call) => {
  const text = call.parameters.required('media');
  const value = decode(text, "Can't parse input media JSON object");
  const input = parseInputMedia(call, value, false);
  return change(call, (message) => {
    if (message.content.kind === 'service') throw refusal("Message can't be edited");
    const { content, core } = readyMedia(call, input);
    if (message.album !== undefined && message.content.kind !== 'text') {
      checkAlbum(message.content, content);
    }
    if (core !== undefined) throw refusal(core);
    return content;
  });
};

export const editMessageReplyMarkup: Method = (call) => change(call, ({ content }) => content);

/** In an album a photo may become a video and the other way round; no other change of kind is allowed. */
function checkAlbum(old: MediaContent, fresh: MediaContent): void {
  if (old.kind === fresh.kind) return;
  const swaps = [old.kind, fresh.kind].every((kind) => kind === 'photo' || kind === 'video');
  if (!swaps) throw refusal("Can't change media type in the album");
}

function change(call: Call, rewrite: (message: Message) => Content): object {
  const { world, bot, parameters } = call;
  const keyboard = parseKeyboard(parameters);
  const message = findMessage(call);
  if (message.from.id !== bot.user.id) throw refusal("Message can't be edited");
  const content = rewrite(message);
  checkKeyboard(keyboard);
  const changed = { ...message, content, keyboard: keptKeyboard(keyboard) };
  if (shows(changed) === shows(message)) throw refusal('MESSAGE_NOT_MODIFIED');
  const edited: Message = { ...changed, editDate: unixTime(world) };
  message.chat.messages.set(message.id, edited);
  return messageJson(world, bot, edited);
}

/** The message that the call names by chat and number. */
function findMessage({ world, bot, parameters }: Call): Message {
  const id = parameters.integer('message_id', 0);
  if (parameters.text('chat_id') === '' && id === 0) {
    if (parameters.text('inline_message_id') === '') {
      throw refusal('Message identifier is not specified');
    }
    throw refusal('MESSAGE_ID_INVALID');
  }
  const message = requireChat(world, bot, parameters, 'edit').messages.get(id);
  if (message === undefined) throw refusal('message to edit not found');
  return message;
}

function shows({ content, keyboard }: Message): string {
  return JSON.stringify([content, keyboard ?? []]);
}
