import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSandbox } from '../../sandbox/start.ts';
import { createVk } from '../../sandbox/vk/vk.ts';
import {
  admin,
  community,
  photoFile,
  startVk,
  upload,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

const onWall = { owner_id: wall, message: 'x' };
const captchaSchema = z.looseObject({ captcha_sid: z.string(), captcha_img: z.url() });
const issuedSchema = z.array(z.strictObject({ sid: z.string(), key: z.string() }));
let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

function keyOf(sid: string): string {
  const found = issuedSchema.parse(vk.control('captchas')).find((each) => each.sid === sid);
  return found?.key ?? 'there is no such captcha';
}

describe('a scripted fault is worded by VK:', () => {
  it.each([
    ['rate_limited', 'wall.post', 6, 'Too many requests per second'],
    ['revoked', 'wall.post', 5, 'User authorization failed: user revoke access for this token'],
    ['kicked', 'wall.post', 214, 'Access to adding post denied: access to the wall is closed'],
    ['kicked', 'wall.edit', 15, 'Access denied'],
  ] as const)('%s on %s', async (kind, method, code, words) => {
    vk.server.faults.add({ kind, times: 1 });
    const error = await vk.refusal(method, onWall);
    expect([error.error_code, error.error_msg]).toEqual([code, words]);
    expect(error.request_params).toContainEqual({ key: 'owner_id', value: String(wall) });
    expect(vk.texts()).toEqual([]);
  });

  it('a server error is a page of the edge, not JSON', async () => {
    vk.server.faults.add({ kind: 'server_error', times: 1, status: 504 });
    const response = await fetch(`${vk.server.url}/method/wall.post`, { method: 'POST' });
    expect(response.status).toBe(504);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toContain('504 Gateway Timeout');
  });

  it('a fault that VK does not have changes nothing', async () => {
    vk.server.faults.add({ kind: 'migrated', platform: 'vk' });
    await vk.post();
    expect(vk.texts()).toHaveLength(1);
  });

  it('an upload that is struck answers without a photo', async () => {
    vk.server.faults.add({ kind: 'rate_limited', method: 'upload', chat: String(wall), times: 1 });
    const { upload_url: url } = z
      .looseObject({ upload_url: z.string() })
      .parse(await vk.call('photos.getWallUploadServer', { group_id: community }));
    expect((await upload(url, photoFile())).photo).toBe('[]');
    expect((await upload(url, photoFile())).photo).not.toBe('[]');
  });
});

describe('a fault finds its calls', () => {
  const describeCall = (path: string, form: Readonly<Record<string, string>> = {}) =>
    vk.server.simulator.describe({
      method: 'POST',
      path,
      query: new URLSearchParams(),
      headers: {},
      form,
      files: [],
      raw: new Uint8Array(),
    });

  it.each([
    ['wall.post', { owner_id: '-500' }, '-500'],
    ['messages.send', { peer_id: '1002' }, '1002'],
    ['messages.send', { user_id: '1002' }, '1002'],
    ['photos.getWallUploadServer', { group_id: '500' }, '-500'],
    ['wall.get', { domain: 'lost' }, '-500'],
  ])('by the method %s and the wall or person of %j', (method, form, chat) => {
    expect(describeCall(`/method/${method}`, form)).toEqual({ method, chat });
  });

  it('also when they address nobody', () => {
    expect(describeCall('/method/users.get')).toEqual({ method: 'users.get' });
    expect(describeCall('/upload/unknown')).toEqual({ method: 'upload' });
  });
});

describe('a captcha', () => {
  it('is asked for again until the key is right, and then no more', async () => {
    vk.control('captcha', { method: 'wall.post' });
    await vk.call('users.get');
    const first = captchaSchema.parse(await vk.refusal('wall.post', onWall));
    expect(first).toMatchObject({ error_code: 14, error_msg: 'Captcha needed' });
    expect(first.captcha_img).toContain(`sid=${first.captcha_sid}`);
    const guess = { ...onWall, captcha_sid: first.captcha_sid, captcha_key: 'wrong' };
    const second = captchaSchema.parse(await vk.refusal('wall.post', guess));
    expect(second.captcha_sid).not.toBe(first.captcha_sid);
    const right = { captcha_sid: second.captcha_sid, captcha_key: keyOf(second.captcha_sid) };
    await vk.call('wall.post', { ...onWall, ...right });
    await vk.post({ message: 'без капчи' });
    expect(vk.texts()).toEqual(['x', 'без капчи']);
  });

  it('stands in the way of one token only when it names one', async () => {
    vk.control('captcha', { token: vk.tokens.stranger });
    await vk.call('users.get');
    expect((await vk.refusal('users.get', {}, vk.tokens.stranger)).error_code).toBe(14);
  });

  it('of the newer kind is solved on a page and with its success_token', async () => {
    vk.control('captcha', { redirect: true });
    const error = captchaSchema.parse(await vk.refusal('wall.post', onWall));
    expect(error).toMatchObject({ redirect_uri: expect.stringContaining('/captcha.html') });
    await vk.call('wall.post', { ...onWall, success_token: keyOf(error.captcha_sid) });
    expect(vk.texts()).toEqual(['x']);
  });

  it('as a scripted fault lets the solved call through, once', async () => {
    vk.server.faults.add({ kind: 'captcha', method: 'wall.post' });
    const { captcha_sid: sid } = captchaSchema.parse(await vk.refusal('wall.post', onWall));
    const solved = { ...onWall, captcha_sid: sid, captcha_key: keyOf(sid) };
    await vk.call('wall.post', solved);
    expect((await vk.refusal('wall.post', solved)).error_code).toBe(14);
    expect(vk.texts()).toEqual(['x']);
  });
});

describe('what a person sees', () => {
  it('is the wall of every community, and of people who have posts', async () => {
    const titles = () => vk.server.simulator.chats().map((each) => [each.chat, each.title]);
    expect(titles()).toEqual([[String(wall), 'Потеряшки']]);
    await vk.post({ owner_id: admin, from_group: 0 });
    expect(titles()).toEqual([
      [String(admin), 'Анна Орлова'],
      [String(wall), 'Потеряшки'],
    ]);
  });

  it('is a wall with its oldest post first, mentions by name and safe links', async () => {
    await vk.post({
      message: 'Ищет [id1002|Пётр] & @club500 (Потеряшки): <b>https://e.com/?a&b</b>',
    });
    vk.clock.advance(1000);
    await vk.post({ message: 'второй', attachments: 'https://example.com/page' });
    const [first, second] = vk.chat(wall).posts;
    expect(first?.text).toBe('Ищет Пётр & Потеряшки: <b>https://e.com/?a&b</b>');
    expect(first?.html).toBe(
      'Ищет <a href="https://vk.com/id1002">Пётр</a> &amp; ' +
        '<a href="https://vk.com/club500">Потеряшки</a>: &lt;b&gt;' +
        '<a href="https://e.com/?a&amp;b">https://e.com/?a&amp;b</a>&lt;/b&gt;',
    );
    expect(second).toMatchObject({
      id: '2',
      text: 'второй',
      media: [{ type: 'link', url: 'https://example.com/page' }],
      sentAt: '2026-03-02T10:00:01.000Z',
    });
  });
});

describe('posts that were there before', () => {
  it('stand in the order of their dates, with the largest picture of each photo', () => {
    const sizes = [
      { type: 'm', url: 'https://example.com/m.jpg', width: 130, height: 90 },
      { type: 'w', url: 'https://example.com/w.jpg', width: 2560, height: 1700 },
      { type: 's', url: 'https://example.com/s.jpg', width: 75, height: 50 },
    ];
    const posts = [
      { id: 5, date: 100, text: 'oldest' },
      { id: 3, date: 300, text: 'newest', photos: [{ sizes }] },
      { id: 4, date: 200, text: 'between' },
    ];
    vk.control('posts', { owner_id: wall, posts });
    expect(vk.texts()).toEqual(['oldest', 'between', 'newest']);
    expect(vk.chat(wall).posts[2]?.media).toEqual([
      { type: 'photo', url: 'https://example.com/w.jpg' },
    ]);
  });
});

describe('the control API', () => {
  it('refuses what it does not know, and says what it knows', () => {
    expect(() => vk.control('nonsense')).toThrow(/takes no order "nonsense"; it takes users, /);
    expect(() => vk.control('limits', { user_rsp: 3 })).toThrow('user_rsp');
    expect(() => vk.control('posts', { owner_id: -999, posts: [{}] })).toThrow('no owner -999');
    expect(() => vk.control('tokens', { kind: 'user', user_id: 999 })).toThrow('no owner 999');
    expect(() => vk.control('token_fault', { token: 'x', fault: null })).toThrow('no such token');
  });

  it('makes up ids and tokens that it is not given', async () => {
    const { id } = z.object({ id: z.number() }).parse(vk.control('users'));
    const token = z.object({ token: z.string() });
    const made = token.parse(vk.control('tokens', { kind: 'user', user_id: id })).token;
    expect(await vk.call('users.get', {}, made)).toMatchObject([{ id }]);
    expect(token.parse(vk.control('tokens', { kind: 'vk_id', user_id: id })).token).toMatch(
      /^vk2\.a\./,
    );
    expect(token.parse(vk.control('tokens', { kind: 'service' })).token).toMatch(/^[0-9a-f]{70}$/);
  });

  it('is reached over HTTP in a whole sandbox', async () => {
    const sandbox = await startSandbox({ simulators: { vk: createVk } });
    const order = (name: string, body: object) =>
      fetch(`${sandbox.controlUrl}/control/vk/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect(await (await order('users', { id: 5 })).json()).toEqual({ id: 5 });
    expect(await (await order('posts', { owner_id: 5, posts: [{ text: 'x' }] })).json()).toEqual({
      ids: [1],
    });
    expect((await order('users', { id: 'five' })).status).toBe(400);
    expect(await (await fetch(`${sandbox.controlUrl}/chats/vk/5`)).json()).toMatchObject({
      chat: '5',
      posts: [{ id: '1', text: 'x' }],
    });
    await sandbox.close();
  });

  it('takes a vk2 token for one of VK ID, whatever it is called', async () => {
    vk.control('tokens', { kind: 'user', token: 'vk2.a.other', user_id: admin });
    expect((await vk.refusal('wall.post', onWall, 'vk2.a.other')).error_code).toBe(1051);
  });
});

it('answers other paths as the edge does', async () => {
  expect((await fetch(`${vk.server.url}/nowhere`)).status).toBe(404);
  const response = await fetch(`${vk.server.url}/method/wall.post`, {
    method: 'POST',
    body: new URLSearchParams({ message: 'x'.repeat(1_100_000) }),
  });
  expect(response.status).toBe(413);
  expect(await response.text()).toContain('413 Request Entity Too Large');
});
