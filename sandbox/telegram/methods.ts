// The methods of the API by name, and how one is run.

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
import type { Parameters } from './parameters.ts';
import { okReply, Refusal, refusalReply } from './refusals.ts';
import { sendMedia, sendMessage } from './send.ts';
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from './webhook-methods.ts';
import type { Bot, World } from './world.ts';

/** Names are looked up in lower case. */
const methods: Readonly<Record<string, Method>> = {
  getme: getMe,
  sendmessage: sendMessage,
  sendphoto: sendMedia('photo'),
  sendvideo: sendMedia('video'),
  senddocument: sendMedia('document'),
  sendanimation: sendMedia('animation'),
  sendaudio: sendMedia('audio'),
  sendvoice: sendMedia('voice'),
  sendmediagroup: sendMediaGroup,
  sendchataction: sendChatAction,
  editmessagetext: editMessageText,
  editmessagecaption: editMessageCaption,
  editmessagemedia: editMessageMedia,
  editmessagereplymarkup: editMessageReplyMarkup,
  deletemessage: deleteMessage,
  deletemessages: deleteMessages,
  answercallbackquery: answerCallbackQuery,
  getfile: getFile,
  getchat: getChat,
  getchatmember: getChatMember,
  setwebhook: setWebhook,
  deletewebhook: deleteWebhook,
  getwebhookinfo: getWebhookInfo,
  getupdates: getUpdates,
};

export async function runMethod(
  world: World,
  bot: Bot,
  name: string,
  parameters: Parameters,
): Promise<SandboxReply> {
  const key = name.toLowerCase();
  const method = Object.hasOwn(methods, key) ? methods[key] : undefined;
  if (method === undefined) return refusalReply(new Refusal(404, 'Not Found: method not found'));
  try {
    return okReply(await method({ world, bot, parameters }));
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    throw error;
  }
}
