// The body of a message as MAX takes it.

import type { Button, Format } from '../adapter.ts';
import type { UploadType } from './upload-answers.ts';

export type Attachment = MediaAttachment | KeyboardAttachment;

export interface MediaAttachment {
  readonly type: UploadType;
  readonly payload: { readonly token: string } | { readonly url: string };
}

interface KeyboardAttachment {
  readonly type: 'inline_keyboard';
  readonly payload: { readonly buttons: readonly (readonly MaxButton[])[] };
}

type MaxButton =
  | { readonly type: 'link'; readonly text: string; readonly url: string }
  | { readonly type: 'callback'; readonly text: string; readonly payload: string };

export interface MessageBody {
  readonly text?: string;
  readonly format?: 'html' | 'markdown';
  readonly attachments?: readonly Attachment[];
}

const formats = { HTML: 'html', Markdown: 'markdown', None: undefined } as const;

/** Leaves out what is undefined: an edit then keeps what the message has. */
export function messageBody(
  text: string | undefined,
  format: Format,
  attachments: readonly Attachment[] | undefined,
): MessageBody {
  const named = formats[format];
  return {
    ...(text === undefined ? {} : { text }),
    ...(text === undefined || named === undefined ? {} : { format: named }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

/** A list of one, or of none when there are no buttons. */
export function keyboard(buttons: readonly (readonly Button[])[]): KeyboardAttachment[] {
  if (buttons.length === 0) return [];
  const rows = buttons.map((row) => row.map(asMaxButton));
  return [{ type: 'inline_keyboard', payload: { buttons: rows } }];
}

function asMaxButton(button: Button): MaxButton {
  const { text } = button;
  return 'url' in button
    ? { type: 'link', text, url: button.url }
    : { type: 'callback', text, payload: button.payload };
}
