// The parts of a post as calls of the Bot API.

import type { Button, Format, Part, SendMedia, SendRequest } from '../adapter.ts';
import type { Call } from './api.ts';
import type { Target } from './target.ts';
import { kinds, type SendFiles } from './uploads.ts';

const modes: Readonly<Record<Format, string | undefined>> = {
  HTML: 'HTML',
  Markdown: 'MarkdownV2',
  None: undefined,
};

const methods = {
  photo: 'sendPhoto',
  video: 'sendVideo',
  audio: 'sendAudio',
  document: 'sendDocument',
  animation: 'sendAnimation',
} as const;

/** Where it goes, and how. */
type Envelope = Pick<Target, 'chatId' | 'manner'>;

export function textCall(request: SendRequest, part: Part, { chatId, manner }: Envelope): Call {
  return {
    method: 'sendMessage',
    parameters: {
      chat_id: chatId,
      ...textParameters(request),
      ...manner,
      reply_markup: keyboard(part.buttons ? request.buttons : []),
    },
  };
}

export function mediumCall(
  request: SendRequest,
  part: Extract<Part, { kind: 'media' }>,
  medium: SendMedia,
  { chatId, manner }: Envelope,
  files: SendFiles,
): Call {
  const kind = kinds[medium.type];
  const { value, upload } = files.attach(medium, 'file0');
  return {
    method: methods[kind],
    parameters: {
      chat_id: chatId,
      [kind]: value,
      ...captionParameters(request, medium, part.caption),
      ...manner,
      reply_markup: keyboard(part.buttons ? request.buttons : []),
    },
    uploads: upload === undefined ? [] : [upload],
  };
}

/** An album has no buttons; its caption is that of the first item. */
export function albumCall(
  request: SendRequest,
  part: Extract<Part, { kind: 'media' }>,
  media: readonly SendMedia[],
  { chatId, manner }: Envelope,
  files: SendFiles,
): Call {
  const items = media.map((medium, index) => ({
    medium,
    file: files.attach(medium, `file${index}`),
    caption: captionParameters(request, medium, part.caption && index === 0),
  }));
  return {
    method: 'sendMediaGroup',
    parameters: {
      chat_id: chatId,
      media: items.map(({ medium, file, caption }) => ({
        type: kinds[medium.type],
        media: file.value,
        ...caption,
      })),
      ...manner,
    },
    uploads: items.flatMap(({ file }) => file.upload ?? []),
    messages: items.length,
  };
}

/** For sendMessage and editMessageText alike. */
export function textParameters(
  post: Pick<SendRequest, 'text' | 'format' | 'disablePreview'>,
): object {
  return {
    text: post.text,
    parse_mode: modes[post.format],
    link_preview_options: post.disablePreview ? { is_disabled: true } : undefined,
  };
}

/** The text of the post in its format, or the medium's own caption, which is plain. */
function captionParameters(
  { text, format }: Pick<SendRequest, 'text' | 'format'>,
  medium: SendMedia,
  isText: boolean,
): object {
  return isText ? postCaption({ text, format }) : { caption: medium.caption };
}

export function postCaption({ text, format }: Pick<SendRequest, 'text' | 'format'>): object {
  return { caption: text, parse_mode: modes[format] };
}

/** Undefined without buttons: some methods refuse an empty keyboard. */
export function keyboard(buttons: readonly (readonly Button[])[]): object | undefined {
  if (buttons.length === 0) return undefined;
  return { inline_keyboard: buttons.map((row) => row.map(asTelegramButton)) };
}

function asTelegramButton(button: Button): object {
  const { text } = button;
  return 'url' in button ? { text, url: button.url } : { text, callback_data: button.payload };
}
