import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  channel,
  group,
  otherToken,
  startTelegram,
  supergroup,
  type TelegramSandbox,
  token,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

const send = (chat: unknown, more: object = {}) =>
  sandbox.words('sendMessage', { chat_id: chat, text: 'a', ...more });

describe('a chat', () => {
  it.each<[unknown, string]>([
    ['', '400 Bad Request: chat_id is empty'],
    [999, '400 Bad Request: chat not found'],
    ['@nobody_here', '400 Bad Request: chat not found'],
    ['somewhere', '400 Bad Request: chat not found'],
  ])('that is not there is refused: %j', async (chat, words) => {
    expect(await send(chat)).toBe(words);
  });

  it.each<[number, object, string]>([
    [user, { status: 'kicked' }, '403 Forbidden: bot was blocked by the user'],
    [user, { status: 'left' }, "403 Forbidden: bot can't initiate conversation with a user"],
    [group, { status: 'kicked' }, '403 Forbidden: bot was kicked from the group chat'],
    [group, { status: 'left' }, '403 Forbidden: bot is not a member of the group chat'],
    [supergroup, { status: 'kicked' }, '403 Forbidden: bot was kicked from the supergroup chat'],
    [supergroup, { status: 'left' }, '403 Forbidden: bot is not a member of the supergroup chat'],
    [channel, { status: 'kicked' }, '403 Forbidden: bot was kicked from the channel chat'],
    [channel, { status: 'left' }, '403 Forbidden: bot is not a member of the channel chat'],
    [
      channel,
      { status: 'member' },
      '400 Bad Request: need administrator rights in the channel chat',
    ],
    [
      group,
      { denied: ['text'] },
      '400 Bad Request: not enough rights to send text messages to the chat',
    ],
    [
      group,
      { refuse: 'Have no write access to the chat' },
      '400 Bad Request: have no write access to the chat',
    ],
    [group, { refuse: 'CHAT_WRITE_FORBIDDEN' }, '400 Bad Request: CHAT_WRITE_FORBIDDEN'],
    [supergroup, { refuse: 'CHANNEL_PRIVATE' }, '400 Bad Request: CHANNEL_PRIVATE'],
  ])('%i in which the bot is %j is refused', async (chat, membership, words) => {
    sandbox.order('members', { chat, bot: token, ...membership });
    expect(await send(chat)).toBe(words);
    expect(sandbox.posts(chat)).toEqual([]);
    expect(
      await sandbox.words('sendMessage', { chat_id: chat, text: 'a' }, otherToken),
    ).toMatchObject({
      text: 'a',
    });
  });

  it.each<[number, string, string]>([
    [user, 'deactivated', '403 Forbidden: user is deactivated'],
    [user, 'unknown', '400 Bad Request: private chat not found'],
    [group, 'deleted', '403 Forbidden: the group chat was deleted'],
  ])('%i that is %s is refused', async (chat, state, words) => {
    sandbox.order('state', { chat, state });
    expect(await send(chat)).toBe(words);
    sandbox.order('state', { chat, state: 'active' });
    expect(await send(chat)).toMatchObject({ text: 'a' });
  });

  it('with another bot is refused', async () => {
    sandbox.order('chats', { id: 4300, type: 'private' });
    expect(await send(4300)).toBe("403 Forbidden: the bot can't send messages to the bot");
  });

  it.each<[string, string, string]>([
    ['sendPhoto', 'photo', 'photos'],
    ['sendVideo', 'video', 'videos'],
    ['sendDocument', 'document', 'documents'],
    ['sendAnimation', 'animation', 'animations'],
    ['sendAudio', 'audio', 'music'],
    ['sendVoice', 'voice', 'voice notes'],
  ])('may forbid %s', async (method, kind, noun) => {
    sandbox.order('members', { chat: supergroup, denied: [kind] });
    const call = { chat_id: supergroup, [kind]: 'https://x.io/a' };
    expect(await sandbox.words(method, call)).toBe(
      `400 Bad Request: not enough rights to send ${noun} to the chat`,
    );
    expect(await send(supergroup)).toMatchObject({ text: 'a' });
  });

  it('that was upgraded names its successor, which works', async () => {
    await send(group);
    sandbox.order('migrate', { chat: group, to: -1_000_000_005_000 });
    expect(await sandbox.call('sendMessage', { chat_id: group, text: 'a' })).toEqual({
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1_000_000_005_000 },
    });
    expect(await send(-1_000_000_005_000)).toMatchObject({ chat: { type: 'supergroup' } });
    expect(sandbox.posts(group)).toHaveLength(1);
  });
});

describe('a topic', () => {
  const forum = -1_000_000_000_900;

  it('must be there and open', async () => {
    const topics = { 5: 'open', 6: 'closed' };
    sandbox.order('chats', { id: forum, type: 'supergroup', title: 'Forum', topics });
    expect(await send(forum, { message_thread_id: 5 })).toMatchObject({
      message_thread_id: 5,
      is_topic_message: true,
      chat: { is_forum: true },
    });
    expect(await send(forum, { message_thread_id: 6 })).toBe('400 Bad Request: TOPIC_CLOSED');
    expect(await send(forum, { message_thread_id: 7 })).toBe(
      '400 Bad Request: message thread not found',
    );
    expect(await send(group, { message_thread_id: 5 })).toBe(
      '400 Bad Request: message thread not found',
    );
  });
});

describe('a reply', () => {
  it('must find its message, unless it need not', async () => {
    const { message_id: id } = await sandbox.api.sendMessage(user, 'first');
    expect(await send(user, { reply_parameters: { message_id: id } })).toMatchObject({
      reply_to_message: { text: 'first' },
    });
    expect(await send(user, { reply_to_message_id: id })).toMatchObject({
      reply_to_message: { message_id: id },
    });
    const missing = '400 Bad Request: message to be replied not found';
    expect(await send(user, { reply_parameters: { message_id: 9 } })).toBe(missing);
    expect(await send(user, { reply_to_message_id: 9 })).toBe(missing);
    const lenient = { message_id: 9, allow_sending_without_reply: true };
    expect(await send(user, { reply_parameters: lenient })).not.toHaveProperty('reply_to_message');
  });

  it.each([
    ['[', "can't parse reply parameters JSON object"],
    ['[]', 'object expected as reply parameters'],
    ['{"quote":"a"}', 'can\'t find field "message_id"'],
    ['{"message_id":"x"}', 'field "message_id" must be a valid Number'],
  ])('that does not parse is refused: %s', async (parameters, words) => {
    expect(await send(user, { reply_parameters: parameters })).toBe(`400 Bad Request: ${words}`);
  });
});

describe('what a bot asks about a chat', () => {
  it('is answered to a stranger only when the chat is public', async () => {
    const hidden = -1_000_000_000_901;
    sandbox.order('chats', { id: hidden, type: 'supergroup', title: 'Hidden' });
    for (const chat of [supergroup, hidden]) sandbox.order('members', { chat, status: 'left' });
    expect(await sandbox.words('getChat', { chat_id: supergroup })).toMatchObject({
      title: 'Town',
    });
    expect(await sandbox.words('getChat', { chat_id: hidden })).toBe(
      '403 Forbidden: bot is not a member of the supergroup chat',
    );
  });

  it('says what members may send, and what this one may not', async () => {
    expect(await sandbox.words('getChat', { chat_id: supergroup })).toMatchObject({
      permissions: { can_send_messages: true, can_send_photos: true },
    });
    expect(await sandbox.words('getChat', { chat_id: channel })).not.toHaveProperty('permissions');
    sandbox.order('members', { chat: supergroup, denied: ['photo'] });
    expect(
      await sandbox.words('getChatMember', { chat_id: supergroup, user_id: 4200 }),
    ).toMatchObject({
      status: 'restricted',
      is_member: true,
      can_send_messages: true,
      can_send_photos: false,
    });
  });

  it('is answered', async () => {
    expect(await sandbox.words('getChat', { chat_id: '@town' })).toMatchObject({
      id: supergroup,
      type: 'supergroup',
      title: 'Town',
      username: 'town',
    });
    const mine = { chat_id: channel, user_id: 4200 };
    expect(await sandbox.words('getChatMember', mine)).toMatchObject({
      user: { id: 4200 },
      status: 'administrator',
      can_post_messages: true,
    });
    sandbox.order('members', { chat: supergroup, status: 'kicked' });
    expect(await sandbox.words('getChatMember', { ...mine, chat_id: supergroup })).toBe(
      '403 Forbidden: bot was kicked from the supergroup chat',
    );
    expect(await sandbox.words('getChatMember', { chat_id: group, user_id: user })).toMatchObject({
      user: { first_name: 'Anna' },
      status: 'member',
    });
    expect(await sandbox.words('getChatMember', { chat_id: group, user_id: 9 })).toBe(
      '400 Bad Request: PARTICIPANT_ID_INVALID',
    );
    expect(await sandbox.words('getChatMember', { chat_id: group })).toBe(
      '400 Bad Request: invalid user_id specified',
    );
    expect(await sandbox.words('sendChatAction', { chat_id: user, action: 'typing' })).toBe(true);
    expect(await sandbox.words('sendChatAction', { chat_id: user })).toBe(
      '400 Bad Request: wrong parameter action in request',
    );
  });
});
