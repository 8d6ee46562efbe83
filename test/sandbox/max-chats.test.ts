import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  botId,
  channelId,
  dialogId,
  groupId,
  type MaxSandbox,
  startMax,
  userId,
} from '../support/sandbox/max-sandbox.ts';

let max: MaxSandbox;

beforeEach(async () => {
  max = await startMax();
});

afterEach(() => max.close());

describe('the API for chats', () => {
  it('shows a group with its title, its members and the number of its messages', async () => {
    await max.bot.api.sendMessageToChat(groupId, 'Hi');
    expect(await max.bot.api.getChat(groupId)).toEqual({
      chat_id: groupId,
      type: 'chat',
      status: 'active',
      title: 'Group',
      last_event_time: max.clock.now(),
      participants_count: 1,
      is_public: false,
      participants: { [botId]: max.clock.now() },
      messages_count: 1,
    });
  });

  it('shows a dialog with the person at its other end', async () => {
    expect(await max.bot.api.getChat(dialogId)).toMatchObject({
      chat_id: dialogId,
      type: 'dialog',
      dialog_with_user: { user_id: userId, name: 'John Doe' },
    });
  });

  it.each(['news', '@news'])('finds a channel by its link %s', async (link) => {
    const { json } = await max.call('GET', `/chats/${link}`);
    expect(json).toMatchObject({ chat_id: channelId, type: 'channel', is_public: true });
  });

  it('finds no group by a link', async () => {
    max.control('chats', { type: 'chat', link: 'closed' });
    expect(await max.call('GET', '/chats/closed')).toMatchObject({ status: 404 });
  });

  it('refuses a chat that the bot is not in, and one that does not exist', async () => {
    max.control('membership', { chat_id: groupId, user_id: userId, member: false });
    await expect(max.bot.api.getChat(groupId)).rejects.toMatchObject({
      status: 403,
      code: 'chat.denied',
    });
    await expect(max.bot.api.getChat(-5)).rejects.toMatchObject({ code: 'chat.not.found' });
  });

  it('changes title and description, and refuses a title of more than 200 characters', async () => {
    const changed = await max.bot.api.editChatInfo(groupId, { title: 'New', description: 'Words' });
    expect(changed).toMatchObject({ title: 'New', description: 'Words' });
    expect(max.server.simulator.chats().map((chat) => chat.title)).toContain('New');
    const tooLong = max.bot.api.editChatInfo(groupId, { title: 'x'.repeat(201) });
    await expect(tooLong).rejects.toMatchObject({ status: 400, code: 'proto.payload' });
  });

  it('takes an action that MAX knows, and refuses another', async () => {
    expect(await max.bot.api.sendAction(dialogId, 'typing_on')).toEqual({ success: true });
    expect(
      await max.call('POST', `/chats/${dialogId}/actions`, { action: 'mark_seen' }),
    ).toMatchObject({
      status: 400,
      json: { code: 'proto.payload', message: "Can't deserialize body" },
    });
  });

  it('keeps a pinned message until it is unpinned or deleted', async () => {
    const { body } = await max.bot.api.sendMessageToChat(groupId, 'Rules');
    expect(await max.bot.api.getPinnedMessage(groupId)).toEqual({ message: null });
    expect(await max.bot.api.pinMessage(groupId, body.mid)).toEqual({ success: true });
    expect(await max.bot.api.getPinnedMessage(groupId)).toMatchObject({
      message: { body: { mid: body.mid } },
    });
    expect(await max.bot.api.unpinMessage(groupId)).toEqual({ success: true });
    expect(await max.bot.api.unpinMessage(groupId)).toMatchObject({ success: false });
    await max.bot.api.pinMessage(groupId, body.mid);
    await max.bot.api.deleteMessage(body.mid);
    expect(await max.bot.api.getPinnedMessage(groupId)).toEqual({ message: null });
    expect(await max.bot.api.unpinMessage(groupId)).toMatchObject({ success: false });
    expect(await max.bot.api.pinMessage(groupId, body.mid)).toMatchObject({ success: false });
  });

  it('tells the bot whether it is an admin and what it may do', async () => {
    expect(await max.bot.api.getChatMembership(groupId)).toMatchObject({
      user_id: botId,
      is_admin: true,
      is_owner: false,
      permissions: expect.arrayContaining(['write']),
    });
    max.control('membership', { chat_id: groupId, user_id: userId, admin: false });
    expect(await max.bot.api.getChatMembership(groupId)).toMatchObject({
      is_admin: false,
      permissions: null,
    });
  });

  it('lists the members, and the admins among them', async () => {
    // Who writes in a group becomes a member of it.
    max.control('write', { chat_id: groupId, user_id: userId, text: 'Hi' });
    const all = await max.bot.api.getChatMembers(groupId);
    const admins = await max.bot.api.getChatAdmins(groupId);
    expect(all.members.map((member) => member.user_id)).toEqual([botId, userId]);
    expect(admins.members.map((member) => member.user_id)).toEqual([botId]);
  });

  it('lets the bot leave a group, which then refuses its messages', async () => {
    expect(await max.bot.api.leaveChat(groupId)).toEqual({ success: true });
    await expect(max.bot.api.sendMessageToChat(groupId, 'Hi')).rejects.toMatchObject({
      code: 'chat.denied',
    });
  });

  it('does not let the bot leave a dialog', async () => {
    expect(await max.bot.api.leaveChat(dialogId)).toMatchObject({ success: false });
  });
});

describe('the commands of the bot', () => {
  it('are set, shown and deleted', async () => {
    const commands = [{ name: 'help', description: 'What I can do' }];
    expect(await max.bot.api.setMyCommands(commands)).toEqual({ commands });
    expect(await max.bot.api.getMyInfo()).toMatchObject({ commands });
    await max.bot.api.deleteMyCommands();
    expect(await max.bot.api.getMyInfo()).not.toHaveProperty('commands');
  });
});

describe('the sandbox', () => {
  it('chooses the ids of chats if none are given: positive for dialogs, negative for groups', () => {
    const dialog = max.control('chats', { type: 'dialog', user_id: 5 });
    const group = max.control('chats', { type: 'chat' });
    expect(dialog).toEqual({ chat_id: expect.any(Number) });
    expect(Number(dialog['chat_id'])).toBeGreaterThan(0);
    expect(Number(group['chat_id'])).toBeLessThan(-1_000_000_000_000);
    expect(max.control('chats', { type: 'dialog', user_id: 5 })).toEqual(dialog);
  });

  it('shows people a dialog under the name of the person', () => {
    expect(max.server.simulator.chats()[0]).toEqual({
      chat: String(dialogId),
      title: 'John Doe',
      kind: 'dialog',
      posts: [],
    });
  });

  it.each([
    ['nonsense', {}, 'MAX has no "nonsense"'],
    ['toString', {}, 'MAX has no "toString"'],
    ['chats', { type: 'chat', chat_id: groupId }, 'is taken'],
    ['bots', { token: 'new', user_id: userId }, 'is taken'],
    ['users', { user_id: botId }, "is a bot's"],
    ['write', { bot: 'nobody', user_id: 1, text: 'x' }, 'There is no such bot'],
    ['write', { chat_id: dialogId, user_id: 1, text: 'x' }, 'is not in this dialog'],
    ['write', { chat_id: 3, user_id: 1, text: 'x' }, 'There is no chat 3'],
    ['edit', { message_id: 'mid.x', text: 'x' }, 'There is no message mid.x'],
    ['membership', { chat_id: dialogId, user_id: 1 }, 'There is no group or channel'],
    ['limits', { messages: 1 }, 'messages'],
  ])('refuses the order %s %j', (name, body, words) => {
    expect(() => max.control(name, body)).toThrow(words);
  });

  it('asks which bot is meant when there are several', () => {
    max.control('bots', { token: 'second' });
    expect(() => max.control('start', { user_id: 5 })).toThrow('There are several bots');
    expect(max.control('start', { bot: 'second', user_id: 5 })).toHaveProperty('chat_id');
  });
});
