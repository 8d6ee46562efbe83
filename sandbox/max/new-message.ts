// Reads the body of a message: the same for sending, editing and answering a callback.

import { z } from 'zod';
import type { SandboxRequest } from '../simulator.ts';
import { attachmentsShape, type CheckedAttachments, checkAttachments } from './attachments.ts';
import { readHtml } from './html.ts';
import { readMarkdown } from './markdown.ts';
import type { MarkedText } from './markup.ts';
import { invalid, notFound, unreadableBody, wrongType } from './replies.ts';
import type { MessageLink, World } from './world.ts';

export const newMessageShape = z.object({
  text: z.string().nullish(),
  attachments: attachmentsShape.nullish(),
  link: z.object({ type: z.enum(['reply', 'forward']), mid: z.string() }).nullish(),
  notify: z.boolean().nullish(),
  format: z.enum(['markdown', 'html']).nullish(),
});

export type NewMessage = z.infer<typeof newMessageShape>;

/** What a message says. What the body did not give is missing. */
export interface Draft {
  readonly content?: MarkedText | undefined;
  readonly added?: CheckedAttachments | undefined;
  readonly link?: MessageLink | undefined;
}

const textMax = 4000;

/** The JSON body of a call in that shape; throws the refusal for another shape. */
export function readBody<Shape extends z.ZodType>(
  request: SandboxRequest,
  shape: Shape,
): z.infer<Shape> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const hasBody = Number(request.headers['content-length'] ?? 0) > 0 || request.raw.length > 0;
  if (type !== 'application/json' && (hasBody || type !== '')) throw wrongType();
  const read = shape.safeParse(request.json);
  if (!read.success) throw unreadableBody();
  return read.data;
}

export function readDraft(world: World, message: NewMessage): Draft {
  const { text, attachments, link } = message;
  // The unit and the words are assumed: UTF-16 units of the text as it was sent, before markup.
  if ((text?.length ?? 0) > textMax) throw invalid(`text: size must be between 0 and ${textMax}`);
  return {
    content: text === null || text === undefined ? undefined : readText(text, message.format),
    link: link === null || link === undefined ? undefined : readLink(world, link),
    added: attachments ? checkAttachments(world, attachments) : undefined,
  };
}

function readText(text: string, format: NewMessage['format']): MarkedText {
  if (format === 'html') return readHtml(text);
  if (format === 'markdown') return readMarkdown(text);
  return { text, marks: [] };
}

function readLink(world: World, link: NonNullable<NewMessage['link']>): MessageLink {
  const message = world.messages.get(link.mid);
  if (message === undefined) throw notFound(`Message ${link.mid} not found`);
  return { type: link.type, message };
}

/** Assumed: blanks alone do not count as a text, nor a keyboard alone as a message. */
export function checkNotEmpty(content: MarkedText, attachments: number, forwards: boolean): void {
  if (content.text.trim() === '' && attachments === 0 && !forwards) {
    throw invalid('errors.required');
  }
}
