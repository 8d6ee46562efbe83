import { Bot } from '@maxhub/max-bot-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  channelId,
  dialogId,
  groupId,
  type MaxSandbox,
  startMax,
  token,
  userId,
} from '../support/sandbox/max-sandbox.ts';

let max: MaxSandbox;

beforeEach(async () => {
  max = await startMax();
});

afterEach(() => max.close());

const toGroup = `/messages?chat_id=${groupId}`;
const toDialog = `/messages?chat_id=${dialogId}`;
const text = { text: 'Hi' };

function refusal(status: number, code: string, message: unknown = expect.any(String)) {
  return { status, json: { code, message } };
}

describe('a token', () => {
  it.each([
    ['that nobody has', 'wrong'],
    ['behind "Bearer"', `Bearer ${token}`],
  ])('%s is invalid', async (_name, authorization) => {
    const answer = await max.call('GET', '/me', undefined, { authorization });
    expect(answer).toMatchObject(refusal(401, 'verify.token', 'Invalid access_token'));
  });

  it('is needed', async () => {
    const answer = await max.call('GET', '/me', undefined, {});
    expect(answer).toMatchObject(refusal(401, 'verify.token', 'Invalid access_token'));
  });

  it('is refused in the query, in other words', async () => {
    const answer = await max.call('GET', `/me?access_token=${token}`, undefined, {});
    expect(answer).toMatchObject(refusal(401, 'verify.token'));
    expect(answer.text).toContain('deprecated');
  });

  it('that was withdrawn is invalid, as the client says too', async () => {
    max.control('bots', { token, revoked: true });
    await expect(max.bot.api.getMyInfo()).rejects.toMatchObject({
      status: 401,
      code: 'verify.token',
    });
  });

  it('of a blocked account is refused everywhere', async () => {
    max.control('bots', { token, blocked: true });
    expect(await max.call('GET', '/me')).toMatchObject(refusal(403, 'account.blocked'));
    expect(await max.call('POST', toGroup, text)).toMatchObject(refusal(403, 'account.blocked'));
  });
});

describe('a chat', () => {
  it('is denied while the user has stopped the bot', async () => {
    const denied = refusal(403, 'chat.denied', 'error.dialog.suspended');
    max.control('stop', { user_id: userId });
    expect(await max.call('POST', toDialog, text)).toMatchObject(denied);
    expect(await max.call('POST', `/messages?user_id=${userId}`, text)).toMatchObject(denied);
    expect(await max.call('GET', toDialog)).toMatchObject(denied);
    expect(max.posts(dialogId)).toEqual([]);
    max.control('start', { user_id: userId });
    expect(await max.call('POST', toDialog, text)).toMatchObject({ status: 200 });
  });

  it('is denied to a bot that is not published', async () => {
    max.control('bots', { token, published: false });
    expect(await max.call('POST', toDialog, text)).toMatchObject(
      refusal(403, 'chat.denied', 'error.dialog.suspended'),
    );
    expect(await max.call('POST', toGroup, text)).toMatchObject({ status: 200 });
  });

  it.each([
    ['group', groupId],
    ['channel', channelId],
  ])('is denied to a bot that is no admin of the %s, or not in it', async (_name, chat) => {
    const denied = refusal(403, 'chat.denied', 'chat.send.msg.no.permission.because.not.admin');
    for (const membership of [{ admin: false }, { member: false }]) {
      max.control('membership', { chat_id: chat, user_id: userId, ...membership });
      expect(await max.call('POST', `/messages?chat_id=${chat}`, text)).toMatchObject(denied);
      expect(await max.call('GET', `/messages?chat_id=${chat}`)).toMatchObject(
        refusal(403, 'chat.denied'),
      );
    }
    max.control('membership', { chat_id: chat, user_id: userId });
    expect(await max.call('POST', `/messages?chat_id=${chat}`, text)).toMatchObject({
      status: 200,
    });
  });

  it('is not found under a wrong id', async () => {
    const answer = await max.call('POST', '/messages?chat_id=990000015', text);
    expect(answer).toMatchObject(refusal(404, 'chat.not.found', 'Chat 990000015 not found'));
  });

  it('is not found if it is the dialog of another bot', async () => {
    max.control('bots', { token: 'other' });
    const { chat_id: chat } = max.control('chats', { type: 'dialog', bot: 'other', user_id: 77 });
    const answer = await max.call('POST', `/messages?chat_id=${String(chat)}`, text);
    expect(answer).toMatchObject(refusal(404, 'chat.not.found'));
  });

  it('is denied under the id 0', async () => {
    expect(await max.call('POST', '/messages?chat_id=0', text)).toMatchObject(
      refusal(403, 'chat.denied', 'Invalid chatId: 0'),
    );
  });

  it('is not found with a user who never talked to the bot', async () => {
    const answer = await max.call('POST', '/messages?user_id=55', text);
    expect(answer).toMatchObject(refusal(404, 'dialog.not.found', 'error.dialog.notfound'));
  });

  it.each(['nobody', '@nobody', 'Group'])('is not found under the link %s', async (link) => {
    expect(await max.call('GET', `/chats/${link}`)).toMatchObject(
      refusal(404, 'not.found', 'Chat not found by link'),
    );
  });

  it('is not changed by a bot that is no admin', async () => {
    max.control('membership', { chat_id: groupId, user_id: userId, admin: false });
    expect(await max.call('PATCH', `/chats/${groupId}`, { title: 'Mine' })).toMatchObject(
      refusal(403, 'access.denied'),
    );
  });

  it('keeps what its user wrote: a bot may not delete it in a dialog', async () => {
    const written = max.control('write', { user_id: userId, text: 'mine' });
    const path = `/messages?message_id=${String(written['message_id'])}`;
    expect(await max.call('DELETE', path)).toMatchObject(refusal(403, 'access.denied'));
    expect(max.posts(dialogId)).toHaveLength(1);
  });
});

describe('what is not there', () => {
  it.each([
    ['GET', '/messages/mid.00'],
    ['GET', '/videos/{video_token}'],
    ['GET', '/chats'],
    ['GET', '/nowhere'],
    ['POST', '/me/commands'],
  ])('is not found: %s %s', async (method, path) => {
    expect(await max.call(method, path)).toMatchObject(refusal(404, 'not.found'));
  });
});

describe('a body', () => {
  const button = { type: 'open_app', text: 'App' };
  const keyboard = { type: 'inline_keyboard', payload: { buttons: [[button]] } };

  it.each([
    ['nothing to show', {}, 'errors.required'],
    ['blanks alone', { text: ' \n' }, 'errors.required'],
    ['tags alone', { text: '<b></b>', format: 'html' }, 'errors.required'],
    ['a text that is no text', { text: 7 }, "Can't deserialize body"],
    ['a format that MAX lacks', { text: 'x', format: 'HTML' }, "Can't deserialize body"],
    ['an attachment that MAX lacks', { attachments: [{ type: 'poll' }] }, "Can't deserialize body"],
    ['JSON that breaks off', '{"text":', "Can't deserialize body"],
    ['no JSON object', '[]', "Can't deserialize body"],
    [
      'an image from nowhere',
      { attachments: [{ type: 'image', payload: {} }] },
      'No `photos`, `url` or `token` provided. Check payload.',
    ],
    [
      'an image from no photos',
      { attachments: [{ type: 'image', payload: { photos: {} } }] },
      'No `photos`, `url` or `token` provided. Check payload.',
    ],
    [
      'an app button without app',
      { text: 'x', attachments: [keyboard] },
      "Field 'webApp' cannot be null",
    ],
    ['too long a text', { text: 'x'.repeat(4001) }, undefined],
  ])('with %s is refused', async (_name, body, message) => {
    expect(await max.call('POST', toGroup, body)).toMatchObject(
      refusal(400, 'proto.payload', message),
    );
    expect(max.posts(groupId)).toEqual([]);
  });

  it('with 4000 UTF-16 units is taken', async () => {
    expect(await max.call('POST', toGroup, { text: '😀'.repeat(2000) })).toMatchObject({
      status: 200,
    });
  });

  it('without a recipient is refused', async () => {
    expect(await max.call('POST', '/messages', text)).toMatchObject(refusal(400, 'proto.payload'));
  });

  it('of another type is refused with 415', async () => {
    const headers = { authorization: token, 'content-type': 'application/x-www-form-urlencoded' };
    expect(await max.call('POST', toGroup, 'text=Hi', headers)).toMatchObject({ status: 415 });
    const plain = { authorization: token, 'content-type': 'text/plain' };
    expect(await max.call('POST', toGroup, '{"text":"Hi"}', plain)).toMatchObject({ status: 415 });
    expect(max.posts(groupId)).toEqual([]);
  });

  it('sent with the wrong verb is refused with 405', async () => {
    expect(await max.call('PATCH', toGroup, text)).toMatchObject({ status: 405 });
    expect(await max.call('DELETE', '/uploads')).toMatchObject({ status: 405 });
  });
});

describe('too many calls', () => {
  it('are refused past 30 in a second, whatever they are, and without Retry-After', async () => {
    for (let call = 0; call < 30; call += 1) {
      expect(await max.call('GET', '/me')).toMatchObject({ status: 200 });
    }
    const refused = await max.call('GET', '/subscriptions');
    expect(refused).toMatchObject(refusal(429, 'too.many.requests'));
    expect(refused.headers.get('retry-after')).toBeNull();
    max.clock.advance(1000);
    expect(await max.call('GET', '/me')).toMatchObject({ status: 200 });
  });

  it('are counted for each bot', async () => {
    max.control('bots', { token: 'other' });
    max.control('limits', { requests_per_second: 1 });
    expect(await max.call('GET', '/me')).toMatchObject({ status: 200 });
    expect(await max.call('GET', '/me')).toMatchObject({ status: 429 });
    const other = await max.call('GET', '/me', undefined, { authorization: 'other' });
    expect(other).toMatchObject({ status: 200 });
  });

  it('into one chat follow the limit that is set', async () => {
    max.control('limits', { messages_per_second: 1 });
    expect(await max.call('POST', toGroup, text)).toMatchObject({ status: 200 });
    expect(await max.call('POST', toGroup, text)).toMatchObject(refusal(429, 'too.many.requests'));
    expect(max.posts(groupId)).toHaveLength(1);
  });
});

describe('the client', () => {
  it('reports what MAX said', async () => {
    await expect(max.bot.api.sendMessageToChat(5, 'Hi')).rejects.toMatchObject({
      status: 404,
      code: 'chat.not.found',
      description: 'Chat 5 not found',
    });
    const stranger = new Bot('wrong', { clientOptions: { baseUrl: max.server.url } });
    await expect(stranger.api.getMyInfo()).rejects.toMatchObject({ status: 401 });
  });
});
