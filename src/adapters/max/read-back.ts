// After an unknown outcome: looks in the chat for the part that may have arrived. MAX has no key for repeats, so we
// recognise a message by what it shows: it is the bot's own, no older than the delivery, comes after the previous
// part, and has the same media and the same text. Media without a text resemble one another. We recognise them only
// by a sign that belongs to their bytes, or when we have read back to the previous part.

import type { Part, SendError, SendMedia, SendRequest } from '../adapter.ts';
import { judge } from './answers.ts';
import type { Api } from './api.ts';
import { type Message, meShape, messageShape, messagesShape } from './messages.ts';
import { showsText } from './shown-text.ts';
import type { Recipient } from './target.ts';
import { uploadType } from './uploads.ts';

export interface Wanted {
  readonly request: Pick<SendRequest, 'text' | 'format' | 'partsDone' | 'after'>;
  readonly part: Part;
  readonly item: number;
  /** The media of the part. */
  readonly media: readonly SendMedia[];
  readonly recipient: Recipient;
  /** An older message cannot be the part. */
  readonly since: Date;
}

export type Finding =
  | { readonly kind: 'found'; readonly mid: string }
  | { readonly kind: 'absent' }
  /** MAX does not let this bot read here. */
  | { readonly kind: 'unreadable' }
  /** The chat does not tell whether the part has arrived. */
  | { readonly kind: 'unclear'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: SendError };

/** Fifty of the longest messages would not fit an answer. */
const pageSize = 30;
const mostPages = 20;

export async function lookFor(api: Api, wanted: Wanted): Promise<Finding> {
  const chat = await chatOf(api, wanted);
  if (typeof chat !== 'string') return chat;
  const read = await readSince(api, chat, wanted);
  if ('kind' in read) return read;
  const text = wanted.part.kind === 'text' || wanted.part.caption ? wanted.request.text : '';
  const alike = read.messages.filter(
    (message) =>
      hasSameMedia(message, wanted.media) &&
      showsText(message.body?.text ?? '', text, wanted.request.format),
  );
  const own = await ownOf(api, alike);
  if ('kind' in own) return own;
  // The oldest one is that of the first attempt.
  const signed = own.messages.filter((message) => hasSign(message, wanted.media));
  const isTold = text.trim() !== '' || read.isBehindPart;
  const mid = (signed.at(-1) ?? (isTold ? own.messages.at(-1) : undefined))?.body?.mid;
  if (mid !== undefined) return { kind: 'found', mid };
  if (own.messages.length > 0) {
    return { kind: 'unclear', reason: 'the chat has similar media, and nothing tells them apart' };
  }
  if (read.isWhole) return { kind: 'absent' };
  return { kind: 'unclear', reason: 'the chat has had too many messages since' };
}

/** Only a message of a person's dialog tells the chat id of that dialog. */
async function chatOf(api: Api, { recipient, request, item }: Wanted): Promise<string | Finding> {
  if ('chat_id' in recipient) return recipient.chat_id;
  const before = lastBefore(request.partsDone, item) ?? [...request.partsDone.values()].at(0);
  if (before === undefined) return { kind: 'unreadable' };
  const reply = await api.call({ method: 'GET', path: `/messages/${encodeURIComponent(before)}` });
  const answer = judge(reply, 'read', messageShape, api.now());
  if (!answer.ok) return unlessClosed(answer.error);
  const chatId = answer.value.recipient?.chat_id ?? undefined;
  return chatId === undefined ? { kind: 'unreadable' } : String(chatId);
}

function lastBefore(partsDone: ReadonlyMap<number, string>, item: number): string | undefined {
  const before = [...partsDone.keys()].filter((done) => done < item);
  return before.length === 0 ? undefined : partsDone.get(Math.max(...before));
}

interface Reading {
  /** Messages that may be the part, newest first. */
  readonly messages: readonly Message[];
  /** They reach back to the previous part. */
  readonly isBehindPart: boolean;
  readonly isWhole: boolean;
}

async function readSince(api: Api, chat: string, wanted: Wanted): Promise<Reading | Finding> {
  const { partsDone } = wanted.request;
  const before = lastBefore(partsDone, wanted.item) ?? wanted.request.after;
  const taken = new Set(partsDone.values());
  const seen = new Set<string>();
  const messages: Message[] = [];
  let from: number | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = { chat_id: chat, count: String(pageSize) };
    const reply = await api.call({
      method: 'GET',
      path: '/messages',
      // The later end of the span: messages come newest first.
      query: from === undefined ? query : { ...query, from: String(from) },
    });
    const answer = judge(reply, 'read', messagesShape, api.now());
    if (!answer.ok) return unlessClosed(answer.error);
    const fresh = answer.value.messages.filter((message) => !seen.has(nameOf(message)));
    for (const message of fresh) {
      const name = nameOf(message);
      const isEnd = name === before;
      if (isEnd || message.timestamp < wanted.since.getTime()) {
        return { messages, isBehindPart: isEnd, isWhole: true };
      }
      seen.add(name);
      if (!taken.has(name) && message.body && !message.link) messages.push(message);
      from = message.timestamp;
    }
    // A full page of the same messages again: MAX does not go further back.
    const isStuck = answer.value.messages.length >= pageSize;
    if (fresh.length === 0) return { messages, isBehindPart: false, isWhole: !isStuck };
  }
  return { messages, isBehindPart: false, isWhole: false };
}

function nameOf({ body, timestamp }: Message): string {
  return body?.mid ?? `of ${timestamp}`;
}

/** Asks who the bot is only when there is a sender to compare it with. */
async function ownOf(
  api: Api,
  messages: readonly Message[],
): Promise<{ readonly messages: readonly Message[] } | Finding> {
  if (!messages.some(({ sender }) => sender)) return { messages };
  const me = judge(await api.call({ method: 'GET', path: '/me' }), 'read', meShape, api.now());
  if (!me.ok) return { kind: 'failed', error: me.error };
  return {
    messages: messages.filter(({ sender }) => !sender || sender.user_id === me.value.user_id),
  };
}

/** A chat that the bot may not read may still take posts; the send itself will find out. */
function unlessClosed(error: SendError): Finding {
  return error.category === 'PERMANENT' ? { kind: 'unreadable' } : { kind: 'failed', error };
}

type Kind = 'visual' | 'audio' | 'file';

function kindOf(type: string): Kind | undefined {
  if (type === 'image' || type === 'video') return 'visual';
  return type === 'audio' || type === 'file' ? type : undefined;
}

/** Keyboards, link previews and the like do not count as media. */
function hasSameMedia(message: Message, media: readonly SendMedia[]): boolean {
  const shown = (message.body?.attachments ?? []).filter(({ type }) => kindOf(type) !== undefined);
  if (shown.length !== media.length) return false;
  const sent = media.map(({ type, source }) => kindOf(uploadType(type, source)));
  const sameKinds = shown.every(({ type }, index) => kindOf(type) === sent[index]);
  const sameSizes = shown.every(({ size }, index) => isSizeOf(size, media[index]) !== false);
  return sameKinds && sameSizes;
}

/** Undefined when one of the sizes is unknown. */
function isSizeOf(
  size: number | null | undefined,
  medium: SendMedia | undefined,
): boolean | undefined {
  const known = medium && 'blob' in medium.source ? medium.source.blob.sizeBytes : undefined;
  return typeof size === 'number' && known !== undefined ? known === size : undefined;
}

/** The token of one of the blobs, or the size of the file. */
function hasSign(message: Message, media: readonly SendMedia[]): boolean {
  const tokens = media.flatMap(({ source }) =>
    'blob' in source ? (source.blob.fileId ?? []) : [],
  );
  return (message.body?.attachments ?? []).some(
    ({ payload, size }) =>
      tokens.includes(payload?.token ?? '') || media.some((each) => isSizeOf(size, each) === true),
  );
}
