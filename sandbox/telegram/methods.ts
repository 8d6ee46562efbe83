// Runs the methods of the API by their names.

import type { SandboxReply } from '../simulator.ts';
import { sendMediaGroup } from './albums.ts';
import type { Method } from './call.ts';
import {
  answerCallbackQuery,
  getChat,
  getChatMember,
  getFile,
  getMe,
  sendChatAction,
} from './chat-methods.ts';
import { deleteMessage, deleteMessages } from './deletes.ts';
import {
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  editMessageText,
} from './edits.ts';
import { methodName } from './method-names.ts';
import type { Parameters } from './parameters.ts';
import { okReply, Refusal, refusalReply } from './refusals.ts';
import { sendMedia, sendMessage } from './send.ts';
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from './webhook-methods.ts';
import type { Bot, World } from './world.ts';

const methods: Readonly<Record<string, Method>> = {
  getMe,
  sendMessage,
  sendPhoto: sendMedia('photo'),
  sendVideo: sendMedia('video'),
  sendDocument: sendMedia('document'),
  sendAnimation: sendMedia('animation'),
  sendAudio: sendMedia('audio'),
  sendVoice: sendMedia('voice'),
  sendMediaGroup,
  sendChatAction,
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  deleteMessage,
  deleteMessages,
  answerCallbackQuery,
  getFile,
  getChat,
  getChatMember,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  getUpdates,
};

export const simulatedMethods: readonly string[] = Object.keys(methods);

/** The API ignores the case of letters in names. */
const byName = new Map(Object.entries(methods).map(([name, run]) => [name.toLowerCase(), run]));

export async function runMethod(
  world: World,
  bot: Bot,
  name: string,
  parameters: Parameters,
): Promise<SandboxReply> {
  const method = byName.get(name.toLowerCase());
  if (method === undefined) return refusalReply(unknownMethod(world, name));
  try {
    return okReply(await method({ world, bot, parameters }));
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    throw error;
  }
}

function unknownMethod(world: World, given: string): Refusal {
  const name = methodName(given);
  if (name === undefined) return new Refusal(404, 'Not Found: method not found');
  world.report(`Telegram: ${name} was called, which this sandbox does not simulate`);
  return new Refusal(404, `Not Found: this sandbox does not simulate ${name}`);
}
