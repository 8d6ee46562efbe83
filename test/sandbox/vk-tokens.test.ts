import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { methods } from '../../sandbox/vk/methods.ts';
import {
  admin,
  community,
  startVk,
  stranger,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

/** Enough for each method to get past the gate. */
const fitting: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  'wall.post': { owner_id: wall, message: 'x' },
  'messages.send': { user_id: stranger, random_id: 1, message: 'x' },
  'wall.get': { owner_id: wall },
  'wall.getById': { posts: `${wall}_1` },
  'users.get': { user_ids: admin },
  'groups.getById': { group_id: community },
};

const unavailable = {
  27: 'Group authorization failed: method is unavailable with group auth.',
  28: 'Application authorization failed: method is unavailable with service token.',
  1051: 'Method is not available for this profile type: method is unavailable with current profile type',
} as const;

describe('the kind of token decides', () => {
  it.each([
    // method, community, service, VK ID
    ['wall.post', undefined, 28, 1051],
    ['wall.edit', 27, 28, 1051],
    ['wall.delete', 27, 28, 1051],
    ['wall.get', 27, undefined, 1051],
    ['wall.getById', 27, undefined, 1051],
    ['photos.getWallUploadServer', 27, 28, 1051],
    ['photos.saveWallPhoto', 27, 28, 1051],
    ['photos.getMessagesUploadServer', undefined, 28, 1051],
    ['messages.send', undefined, 28, 1051],
    ['users.get', undefined, undefined, undefined],
    ['groups.getById', undefined, undefined, undefined],
    ['utils.getServerTime', undefined, undefined, undefined],
  ] as const)('about %s', async (method, byCommunity, byService, byVkId) => {
    const { tokens } = vk;
    const cases = [
      [tokens.community, byCommunity],
      [tokens.service, byService],
      [tokens.vkId, byVkId],
    ] as const;
    for (const [token, code] of cases) {
      if (code === undefined) {
        await vk.call(method, fitting[method], token);
        continue;
      }
      const error = await vk.refusal(method, fitting[method], token);
      expect([error.error_code, error.error_msg]).toEqual([code, unavailable[code]]);
    }
  });

  it('and a person may call every method', async () => {
    for (const [name, method] of methods)
      expect([name, method.kinds]).toContainEqual(expect.arrayContaining(['user']));
    expect(methods.size).toBeGreaterThan(10);
  });
});

describe('a community', () => {
  it('posts on its own wall as itself', async () => {
    await vk.post({ from_group: 0 }, vk.tokens.community);
    expect(await vk.call('wall.get', { owner_id: wall })).toMatchObject({
      items: [{ from_id: wall }],
    });
  });

  it('posts on no other wall', async () => {
    vk.control('communities', { id: 501, wall: 'open' });
    const error = await vk.refusal(
      'wall.post',
      { owner_id: -501, message: 'x' },
      vk.tokens.community,
    );
    expect(error.error_code).toBe(27);
  });
});

describe('a token', () => {
  it('that is missing is refused', async () => {
    expect(await vk.raw('users.get', {})).toMatchObject({
      error: { error_code: 5, error_msg: 'User authorization failed: no access_token passed.' },
    });
  });

  it('that nobody gave out is refused', async () => {
    expect(await vk.refusal('users.get', {}, 'vk1.a.unknown')).toMatchObject({
      error_code: 5,
      error_msg: 'User authorization failed: invalid access_token (4).',
    });
  });

  it.each([
    ['invalid', 5, 'User authorization failed: invalid access_token (4).'],
    ['session', 5, 'User authorization failed: invalid session'],
    ['revoked', 5, 'User authorization failed: user revoke access for this token'],
    ['ip', 5, 'User authorization failed: access_token was given to another ip address'],
    ['blocked', 5, 'User authorization failed: user is blocked.'],
    ['expired', 1117, 'Access token has expired'],
  ])('with the fault %s is refused until it is mended', async (fault, code, message) => {
    vk.control('token_fault', { token: vk.tokens.admin, fault });
    expect(await vk.refusal('wall.get', { owner_id: wall })).toMatchObject({
      error_code: code,
      error_msg: message,
    });
    vk.control('token_fault', { token: vk.tokens.admin, fault: null });
    await vk.call('wall.get', { owner_id: wall });
  });

  it('expires when its time is over', async () => {
    const body = { kind: 'user', token: 'short', user_id: admin, expires_in_s: 60 };
    vk.control('tokens', body);
    vk.clock.advance(59_999);
    await vk.call('users.get', {}, 'short');
    vk.clock.advance(1);
    expect((await vk.refusal('users.get', {}, 'short')).error_code).toBe(1117);
  });

  it('of a banned person is refused', async () => {
    vk.control('ban', { owner_id: admin });
    expect((await vk.refusal('users.get')).error_msg).toMatch(/: user is blocked\.$/);
    vk.control('ban', { owner_id: admin, lifted: true });
    await vk.call('users.get');
  });

  it.each([
    ['wall.post', ['photos', 'messages']],
    ['wall.edit', ['photos', 'messages']],
    ['wall.delete', ['photos', 'messages']],
    ['photos.getWallUploadServer', ['wall', 'messages']],
    ['photos.saveWallPhoto', ['wall', 'messages']],
    ['messages.send', ['wall', 'photos']],
  ])('needs the right that %s asks for', async (method, scopes) => {
    vk.control('tokens', { kind: 'user', token: 'narrow', user_id: admin, scopes });
    expect(await vk.refusal(method, fitting[method], 'narrow')).toMatchObject({
      error_code: 15,
      error_subcode: 1133,
      error_msg:
        'Access denied: no access to call this method. It cannot be called with current scopes.',
    });
  });
});
