// What a person sees in the chats.

import { escapeHtml, safeHref } from '../drawing/escape.ts';
import type { ChatView, MediaView, PostView } from '../simulator.ts';
import type { Entity, FormattedText } from './entities.ts';
import type { Chat, Message, World } from './world.ts';

export function showChats(world: World): ChatView[] {
  return [...world.chats.values()].map((chat) => ({
    chat: String(chat.id),
    title: titleOf(chat),
    kind: kinds[chat.type],
    posts: [...chat.messages.values()].filter(isPost).map(showPost),
  }));
}

const kinds = {
  channel: 'channel',
  group: 'group',
  supergroup: 'group',
  private: 'dialog',
} as const satisfies Record<Chat['type'], ChatView['kind']>;

function titleOf(chat: Chat): string {
  const name = [chat.firstName, chat.lastName].filter((part) => part !== undefined).join(' ');
  return chat.title ?? (name || (chat.username ?? String(chat.id)));
}

function isPost(message: Message): boolean {
  return message.content.kind !== 'service';
}

function showPost(message: Message): PostView {
  const { id, chat, from, content, date, editDate, keyboard, album, replyTo } = message;
  const body = content.kind === 'service' ? { text: '', entities: [] } : content.body;
  return {
    id: String(id),
    from: from.username ?? from.first_name,
    ...(chat.type === 'private' && !from.is_bot && { byPerson: true }),
    ...(replyTo !== undefined && { replyTo: String(replyTo) }),
    text: body.text,
    html: formattedHtml(body),
    media: content.kind === 'text' || content.kind === 'service' ? [] : [showMedia(content)],
    buttons: (keyboard ?? []).map((row) =>
      row.map(({ text, url, callback_data: payload }) => ({
        text,
        ...(url !== undefined && { url }),
        ...(payload !== undefined && { payload }),
      })),
    ),
    ...(album !== undefined && { album }),
    sentAt: isoTime(date),
    ...(editDate !== undefined && { editedAt: isoTime(editDate) }),
  };
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function showMedia({
  kind,
  file,
}: Extract<Message['content'], { readonly file: unknown }>): MediaView {
  return {
    type: kind,
    ...(file.sha256 !== undefined && { sha256: file.sha256, size: file.size }),
    ...(file.filename !== undefined && { filename: file.filename }),
    ...(file.url !== undefined && { url: file.url }),
  };
}

/** Safe HTML; the entities are sorted and nest. */
function formattedHtml({ text, entities }: FormattedText): string {
  let html = '';
  let at = 0;
  const open: { readonly end: number; readonly tag: string }[] = [];
  const advance = (to: number) => {
    for (let last = open.at(-1); last !== undefined && last.end <= to; last = open.at(-1)) {
      html += escapeHtml(text.slice(at, last.end)) + last.tag;
      at = last.end;
      open.pop();
    }
    html += escapeHtml(text.slice(at, to));
    at = to;
  };
  for (const entity of entities) {
    advance(entity.offset);
    const [start, end] = tagsOf(entity, text.slice(entity.offset, entity.offset + entity.length));
    html += start;
    open.push({ end: entity.offset + entity.length, tag: end });
  }
  advance(text.length);
  return html;
}

const plain: Partial<Record<Entity['type'], string>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
};

function tagsOf(entity: Entity, words: string): readonly [string, string] {
  const tag = plain[entity.type];
  if (tag !== undefined) return [`<${tag}>`, `</${tag}>`];
  if (entity.type === 'spoiler') return ['<span class="spoiler">', '</span>'];
  const address = entity.url ?? (entity.type === 'url' ? words : undefined);
  const href = address === undefined ? undefined : safeHref(address);
  return href === undefined ? ['', ''] : [`<a href="${href}" rel="noreferrer">`, '</a>'];
}
