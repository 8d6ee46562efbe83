import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { max as simulatedMax } from '../../sandbox/max/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { telegram as simulatedTelegram } from '../../sandbox/telegram/index.ts';
import { vk as simulatedVk } from '../../sandbox/vk/index.ts';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ makesChats: true });
  furnishDemoWorld(sandbox);
});

afterEach(() => sandbox.close());

async function telegram(method: string, body: object): Promise<unknown> {
  const answer = await fetch(
    `${sandbox.telegram.url}/bot${simulatedTelegram.demo.token}/${method}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
  );
  return answer.json();
}

async function max(path: string, text: string): Promise<unknown> {
  const answer = await fetch(`${sandbox.max.url}${path}`, {
    method: 'POST',
    headers: { authorization: simulatedMax.demo.token, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });
  return answer.json();
}

async function vk(method: string, values: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ access_token: simulatedVk.demo.token, v: '5.199', ...values });
  return (await fetch(`${sandbox.vk.url}/method/${method}`, { method: 'POST', body })).json();
}

function shown(platform: 'telegram' | 'max' | 'vk', title: string): string[] {
  const chats = sandbox[platform].simulator.chats();
  return chats
    .filter((chat) => chat.title === title)
    .flatMap(({ posts }) => posts.map(({ text }) => text));
}

describe('a sandbox that makes chats', () => {
  it.each([
    [-1_001_999, 'group', 'Chat -1001999'],
    [-1_001_000_000_999, 'channel', 'Chat -1001000000999'],
    ['-1001000000998', 'channel', 'Chat -1001000000998'],
    ['@lost_pets_city', 'channel', 'lost_pets_city'],
    [4711, 'private', 'User 4711'],
  ])('takes a message to Telegram chat %s that nobody has made', async (chat, type, title) => {
    const sent = { ok: true, result: { text: 'a', chat: { type } } };
    expect(await telegram('sendMessage', { chat_id: chat, text: 'a' })).toMatchObject(sent);
    await telegram('sendMessage', { chat_id: chat, text: 'b' });
    expect(shown('telegram', title)).toEqual(['a', 'b']);
  });

  it('knows the Telegram chat by its number afterwards', async () => {
    await telegram('sendMessage', { chat_id: '@lost_pets_city', text: 'a' });
    const chat = await telegram('getChat', { chat_id: '@Lost_Pets_City' });
    expect(chat).toMatchObject({ ok: true, result: { username: 'lost_pets_city' } });
  });

  it.each(['0', 'nobody', '@a', ''])('makes no Telegram chat of "%s"', async (name) => {
    expect(await telegram('sendMessage', { chat_id: name, text: 'a' })).toMatchObject({
      ok: false,
    });
  });

  it.each([
    ['?chat_id=-70000000000999', 'Chat -70000000000999'],
    ['?chat_id=4711', 'User 4711'],
    ['?user_id=4712', 'User 4712'],
  ])('takes a message to MAX chat %s that nobody has made', async (query, title) => {
    expect(await max(`/messages${query}`, 'a')).toMatchObject({ message: { body: { text: 'a' } } });
    await max(`/messages${query}`, 'b');
    expect(shown('max', title)).toEqual(['a', 'b']);
  });

  it('takes a post to the wall of a VK community that nobody has made', async () => {
    const wall = { owner_id: '-4711', from_group: '1' };
    expect(await vk('wall.post', { ...wall, message: 'a' })).toEqual({ response: { post_id: 1 } });
    expect(await vk('photos.getWallUploadServer', { group_id: '4712' })).toHaveProperty('response');
    expect(shown('vk', 'Community 4711')).toEqual(['a']);
  });

  it('keeps the chats that were made before', async () => {
    await telegram('sendMessage', { chat_id: -1_001_000_000_001, text: 'a' });
    expect(shown('telegram', 'News')).toEqual(['a']);
  });
});

describe('a sandbox that makes none', () => {
  it('does not find them', async () => {
    await sandbox.close();
    sandbox = await startSandbox();
    furnishDemoWorld(sandbox);
    expect(await telegram('sendMessage', { chat_id: '@lost_pets_city', text: 'a' })).toMatchObject({
      description: 'Bad Request: chat not found',
    });
    expect(await max('/messages?chat_id=-4711', 'a')).toMatchObject({ code: 'chat.not.found' });
    expect(await vk('wall.post', { owner_id: '-4711', message: 'a' })).toHaveProperty('error');
  });
});
