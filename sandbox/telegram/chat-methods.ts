// What bots ask about themselves, about chats and about files.

import { requireChat } from './access.ts';
import type { Method } from './call.ts';
import { chatJson } from './message-json.ts';
import { refusal } from './refusals.ts';
import { codePoints } from './text.ts';
import { type Bot, type Chat, type MessageKind, membershipOf, type World } from './world.ts';

const downloadBytesMost = 20 * 1024 * 1024;
const noticeMost = 200;

export const getMe: Method = ({ bot }) => ({
  ...bot.user,
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
});

export const getChat: Method = ({ world, bot, parameters }) => {
  const chat = requireChat(world, bot, parameters, 'read');
  const permissions =
    chat.type === 'group' || chat.type === 'supergroup' ? rightsOf([]) : undefined;
  return {
    ...chatJson(chat),
    accent_color_id: 0,
    max_reaction_count: 11,
    ...(permissions !== undefined && { permissions }),
  };
};

/** The rights of a member who may not send some kinds of messages. */
function rightsOf(denied: readonly MessageKind[]): object {
  const may = (kind: MessageKind) => !denied.includes(kind);
  return {
    can_send_messages: may('text'),
    can_send_audios: may('audio'),
    can_send_documents: may('document'),
    can_send_photos: may('photo'),
    can_send_videos: may('video'),
    can_send_video_notes: may('video'),
    can_send_voice_notes: may('voice'),
    can_send_polls: may('text'),
    can_send_other_messages: may('animation'),
    can_add_web_page_previews: may('text'),
    can_change_info: false,
    can_invite_users: true,
    can_pin_messages: false,
    can_manage_topics: false,
  };
}

export const getChatMember: Method = ({ world, bot, parameters }) => {
  const id = parameters.integer('user_id', 0, [0, Number.MAX_SAFE_INTEGER]);
  if (id === 0) throw refusal('Invalid user_id specified');
  const chat = requireChat(world, bot, parameters, 'read');
  const asked = [...world.bots.values()].find((other) => other.user.id === id);
  if (asked !== undefined) return memberJson(chat, asked);
  const known = world.chats.get(id);
  if (known === undefined) throw refusal('PARTICIPANT_ID_INVALID');
  const user = { id, is_bot: false, first_name: known.firstName ?? '' };
  return { user, status: 'member' };
};

/** The bot as a member of the chat. */
export function memberJson(chat: Chat, bot: Bot): object {
  const { status, denied, canDelete } = membershipOf(chat, bot);
  const user = bot.user;
  if (status === 'kicked') return { user, status, until_date: 0 };
  const isRestricted = status === 'restricted' || (status === 'member' && denied.length > 0);
  if (isRestricted) {
    return { user, status: 'restricted', is_member: true, ...rightsOf(denied), until_date: 0 };
  }
  if (status !== 'administrator') return { user, status };
  return {
    user,
    status,
    can_be_edited: false,
    can_manage_chat: true,
    can_delete_messages: canDelete,
    ...(chat.type === 'channel' && {
      can_post_messages: !denied.includes('text'),
      can_edit_messages: true,
    }),
    is_anonymous: false,
  };
}

export const sendChatAction: Method = ({ world, bot, parameters }) => {
  requireChat(world, bot, parameters, 'write');
  if (parameters.text('action') === '') throw refusal('Wrong parameter action in request');
  return true;
};

export const getFile: Method = ({ world, bot, parameters }) => {
  const id = parameters.text('file_id');
  if (id === '') throw refusal('file_id not specified');
  const file = findFile(world, bot, id);
  if (file.size > downloadBytesMost) throw refusal('file is too big');
  return {
    file_id: id,
    file_unique_id: file.uniqueId,
    file_size: file.size,
    file_path: world.files.pathFor(bot, file),
  };
};

function findFile(world: World, bot: Bot, id: string) {
  let file: ReturnType<World['files']['find']>;
  try {
    file = world.files.find(bot, id);
  } catch {
    throw refusal('invalid file_id');
  }
  if (file === undefined) throw refusal('wrong file_id or the file is temporarily unavailable');
  return file;
}

export const answerCallbackQuery: Method = ({ world, bot, parameters }) => {
  const id = parameters.text('callback_query_id');
  const asked = world.callbacks.get(id);
  if (asked?.bot !== bot || asked.expires <= world.clock.now()) throw refusal('QUERY_ID_INVALID');
  if (codePoints(parameters.text('text')) > noticeMost) throw refusal('MESSAGE_TOO_LONG');
  world.callbacks.delete(id);
  return true;
};
