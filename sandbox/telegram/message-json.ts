// Messages, chats and users as the Bot API writes them.

import type { StoredFile } from './files.ts';
import type { Bot, Chat, MediaContent, Message, World } from './world.ts';

export function chatJson(chat: Chat): object {
  return {
    id: chat.id,
    ...(chat.title !== undefined && { title: chat.title }),
    ...(chat.username !== undefined && { username: chat.username }),
    ...(chat.firstName !== undefined && { first_name: chat.firstName }),
    ...(chat.lastName !== undefined && { last_name: chat.lastName }),
    type: chat.type,
    ...(chat.topics.size > 0 && { is_forum: true }),
  };
}

/** The message as the bot sees it, with the file ids of that bot. */
export function messageJson(world: World, bot: Bot, message: Message, depth = 1): object {
  const { chat } = message;
  const replied = message.replyTo === undefined ? undefined : chat.messages.get(message.replyTo);
  return {
    message_id: message.id,
    ...(chat.type === 'channel' ? { sender_chat: chatJson(chat) } : { from: message.from }),
    chat: chatJson(chat),
    date: message.date,
    ...(message.editDate !== undefined && { edit_date: message.editDate }),
    ...(message.album !== undefined && { media_group_id: message.album }),
    ...(message.thread !== undefined && {
      message_thread_id: message.thread,
      is_topic_message: true,
    }),
    ...(replied !== undefined &&
      depth > 0 && { reply_to_message: messageJson(world, bot, replied, depth - 1) }),
    ...contentJson(world, bot, message),
    ...(message.keyboard !== undefined && { reply_markup: { inline_keyboard: message.keyboard } }),
  };
}

function contentJson(world: World, bot: Bot, { content }: Message): object {
  if (content.kind === 'service') return content.fields;
  const { text, entities } = content.body;
  if (content.kind === 'text') {
    return {
      text,
      ...(entities.length > 0 && { entities }),
      ...(content.linkPreview !== undefined && { link_preview_options: content.linkPreview }),
    };
  }
  return {
    ...mediaJson(world, bot, content),
    ...(text !== '' && { caption: text }),
    ...(entities.length > 0 && { caption_entities: entities }),
    ...(content.above && { show_caption_above_media: true }),
    ...(content.spoiler && { has_media_spoiler: true }),
  };
}

function mediaJson(world: World, bot: Bot, content: MediaContent): object {
  const { file, kind, facts } = content;
  if (kind === 'photo') return { photo: photoSizes(world, bot, file) };
  const named = file.filename === undefined ? {} : { file_name: file.filename };
  const common = { ...named, mime_type: file.mime, ...fileJson(world, bot, file) };
  const moving = { duration: 0, width: file.width, height: file.height, ...facts };
  if (kind === 'video') return { video: { ...moving, ...common, ...thumbnail(world, bot, file) } };
  if (kind === 'animation') return { animation: { ...moving, ...common }, document: common };
  if (kind === 'document') return { document: common };
  return { [kind]: { duration: 0, ...facts, ...common } };
}

function fileJson(world: World, bot: Bot, file: StoredFile): object {
  return {
    file_id: world.files.idFor(bot, file),
    file_unique_id: file.uniqueId,
    file_size: file.size,
  };
}

/** The sizes of a photo, smallest first; the last is the picture itself. */
function photoSizes(world: World, bot: Bot, file: StoredFile): object[] {
  const longest = Math.max(file.width, file.height);
  const smaller = [90, 320, 800].filter((edge) => edge < longest);
  return [
    ...smaller.map((edge) => scaled(world, bot, file, edge)),
    { ...fileJson(world, bot, file), width: file.width, height: file.height },
  ];
}

function thumbnail(world: World, bot: Bot, file: StoredFile): object {
  const small = scaled(world, bot, file, 320);
  return { thumbnail: small, thumb: small };
}

function scaled(world: World, bot: Bot, file: StoredFile, edge: number): object {
  const factor = edge / Math.max(file.width, file.height);
  return {
    file_id: world.files.idFor(bot, file, String(edge)),
    file_unique_id: `${file.uniqueId.slice(0, -2)}${edge.toString(36).padStart(2, 'A').slice(-2)}`,
    file_size: Math.max(1, Math.round(file.size * factor * factor)),
    width: Math.max(1, Math.round(file.width * factor)),
    height: Math.max(1, Math.round(file.height * factor)),
  };
}
