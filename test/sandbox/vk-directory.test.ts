import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('users.get', () => {
  it('finds people by number and short address, and leaves out whom it does not know', async () => {
    const asked = { user_ids: `anna,77,id${stranger},${admin}` };
    expect(await vk.call('users.get', asked, vk.tokens.service)).toMatchObject([
      { id: admin, first_name: 'Анна', last_name: 'Орлова', screen_name: 'anna', is_closed: false },
      { id: stranger, screen_name: `id${stranger}` },
      { id: admin },
    ]);
  });

  it('names nobody to an application or a community that names nobody', async () => {
    expect(await vk.call('users.get', {}, vk.tokens.service)).toEqual([]);
    expect(await vk.call('users.get', {}, vk.tokens.community)).toEqual([]);
  });

  it('hides the name of who is deleted, and marks who is banned', async () => {
    vk.control('ban', { owner_id: stranger, as: 'deleted' });
    expect(await vk.call('users.get', { user_ids: stranger })).toEqual([
      {
        id: stranger,
        first_name: 'DELETED',
        last_name: '',
        screen_name: `id${stranger}`,
        deactivated: 'deleted',
      },
    ]);
    vk.control('ban', { owner_id: stranger });
    expect(await vk.call('users.get', { user_ids: stranger })).toMatchObject([
      { first_name: 'Пётр', deactivated: 'banned' },
    ]);
  });
});

describe('groups.getById', () => {
  it('answers with groups, and older versions with a bare array', async () => {
    const shown = [{ id: community, name: 'Потеряшки', is_closed: 0, type: 'group' }];
    expect(await vk.call('groups.getById', { group_ids: 'lost,999' })).toMatchObject({
      groups: shown,
      profiles: [],
    });
    const older = { group_id: community, v: '5.131' };
    expect(await vk.call('groups.getById', older)).toMatchObject(shown);
    expect(await vk.call('groups.getById', older)).not.toHaveProperty('0.deactivated');
  });

  it('shows a community its own page', async () => {
    expect(await vk.call('groups.getById', {}, vk.tokens.community)).toMatchObject({
      groups: [{ id: community }],
    });
    expect((await vk.refusal('groups.getById')).error_code).toBe(125);
  });

  it('says what the owner of a token may do there, when it is asked', async () => {
    const asked = { group_ids: community, fields: 'can_post,is_admin' };
    const standing = async (token: string) => vk.call('groups.getById', asked, token);
    expect(await standing(vk.tokens.admin)).toMatchObject({
      groups: [{ is_admin: 1, admin_level: 3, can_post: 1 }],
    });
    expect(await standing(vk.tokens.stranger)).toMatchObject({
      groups: [{ is_admin: 0, can_post: 0 }],
    });
    expect(await standing(vk.tokens.community)).not.toHaveProperty('groups.0.is_admin');
    vk.control('wall', { owner_id: wall, wall: 'open' });
    expect(await standing(vk.tokens.stranger)).toMatchObject({ groups: [{ can_post: 1 }] });
  });

  it('marks a community that is blocked', async () => {
    vk.control('ban', { owner_id: wall });
    expect(await vk.call('groups.getById', { group_id: community })).toMatchObject({
      groups: [{ deactivated: 'banned' }],
    });
  });
});

describe('account.getAppPermissions', () => {
  it('adds up the rights of the token of a user, and of no other', async () => {
    const rights = { kind: 'user', token: 'vk1.a.some-rights', user_id: admin };
    vk.control('tokens', { ...rights, scopes: ['wall', 'photos'] });
    expect(await vk.call('account.getAppPermissions', {}, rights.token)).toBe(8192 + 4);
    const { error_code: code } = await vk.refusal(
      'account.getAppPermissions',
      {},
      vk.tokens.community,
    );
    expect(code).toBe(27);
  });
});

describe('messages.send', () => {
  const message = { user_id: stranger, random_id: 0, message: 'x' };
  const chat = `im${wall}_${stranger}`;
  const send = (values: Readonly<Record<string, string | number>>) =>
    vk.call('messages.send', { ...message, ...values }, vk.tokens.community);

  it('protects against repetition by random_id, unless it is 0', async () => {
    expect(await send({})).not.toBe(await send({}));
    expect(await send({ random_id: 5 })).toBe(await send({ random_id: 5, message: 'y' }));
    expect(vk.texts(chat)).toHaveLength(3);
  });

  it('tells one conversation from another', async () => {
    await send({ random_id: 5 });
    await send({ random_id: 5, user_id: admin });
    await vk.call('messages.send', { ...message, random_id: 5 });
    expect(vk.texts(chat)).toHaveLength(1);
    expect(vk.texts(`im${wall}_${admin}`)).toHaveLength(1);
    expect(vk.texts(`im${admin}_${stranger}`)).toHaveLength(1);
  });

  it('takes 4096 characters, and reaches a person who guards against strangers from themselves', async () => {
    await send({ message: 'x'.repeat(4096) });
    expect(vk.texts(chat)[0]).toHaveLength(4096);
    vk.control('users', { id: 3000, message_privacy: true });
    vk.control('tokens', { kind: 'user', token: 'shy', user_id: 3000 });
    await vk.call('messages.send', { ...message, user_id: 3000 }, 'shy');
    expect(vk.texts('im3000_3000')).toEqual(['x']);
  });

  it('reaches a person who allows the community', async () => {
    vk.control('users', { id: 3000, allows_messages_from: [community] });
    await send({ user_id: 3000 });
    expect(vk.texts(`im${wall}_3000`)).toEqual(['x']);
  });
});
