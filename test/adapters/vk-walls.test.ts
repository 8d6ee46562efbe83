import { describe, expect, it } from 'vitest';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';
import { admin, communityToken, serviceToken, vkHarness, vkIdToken, wall } from './vk-harness.ts';

const stage = useStage(vkHarness);

const methods = () => stage().calls.map((call) => call.method);
const formOf = (method: string) =>
  stage().calls.find((call) => call.method === method)?.request.form ?? {};
const control = (name: string, body: object) => stage().simulator.control(name, body);

describe('the kind of token', () => {
  const media = () => [new StoredBlob('one').asMedium()];

  it('of a community is enough for text on its own wall', async () => {
    idsOf(await stage().send({ token: communityToken }));
    expect(stage().texts()).toEqual(['Пропал рыжий пёс']);
  });

  it.each([
    ['an application', serviceToken],
    ['VK ID', vkIdToken],
  ])('of %s is refused, and the error says which to take', async (_kind, token) => {
    for (const changes of [{}, { media: media() }]) {
      const error = errorOf(await stage().send({ token, ...changes }));
      expect(error).toMatchObject({ scope: 'platform', code: 'credential_refused' });
      expect(error.remedy).toContain('of a user who administers the community');
    }
    expect(stage().shown()).toEqual([]);
  });

  it('of a community is not enough for photos, and the error says which is', async () => {
    const error = errorOf(await stage().send({ token: communityToken, media: media() }));
    expect(error).toMatchObject({ category: 'PERMANENT', scope: 'channel', code: 'not_allowed' });
    expect(error.message).toContain('the token of a user who administers the community');
    expect(stage().shown()).toEqual([]);
  });

  it('is told by a check: of a community, and of whom it is no use', async () => {
    expect(await stage().check(communityToken)).toEqual({
      ok: true,
      account: expect.stringMatching(/^community \S.* \(500\)$/),
      groupRps: 20,
    });
    for (const token of [serviceToken, vkIdToken]) {
      expect(errorOf(await stage().check(token))).toMatchObject({ code: 'credential_refused' });
    }
  });

  it('of a user without the right to photos is refused by name', async () => {
    const token = 'vk1.a.without-photos-0123456789';
    control('tokens', { kind: 'user', token, user_id: admin, scopes: ['wall'] });
    const error = errorOf(await stage().send({ token, media: media() }));
    expect(error).toMatchObject({ category: 'PERMANENT', scope: 'channel', code: 'not_allowed' });
  });
});

describe(`the wall ${wall}`, () => {
  it.each([
    [{}, Number(wall)],
    [{ from_group: true }, Number(wall)],
    [{ from_group: false }, admin],
  ])('shows posts with the settings %o as from %i', async (settings, from) => {
    const channel = { ...stage().request().channel, settings };
    const [id] = idsOf(await stage().send({ channel }));
    const form = new URLSearchParams({
      v: '5.199',
      access_token: vkHarness.token,
      posts: `${wall}_${id}`,
    });
    const url = new URL('/method/wall.getById', stage().url);
    const read: unknown = await (await fetch(url, { method: 'POST', body: form })).json();
    expect(read).toMatchObject({ response: { items: [{ from_id: from }] } });
  });

  it.each(['lost', '0', '-', '12.5', '', '-99999999999999999'])(
    'is named by a number, not by "%s"',
    async (targetId) => {
      const channel = { ...stage().request().channel, targetId };
      const outcome = await stage().send({ channel });
      expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', scope: 'channel' });
      expect(methods()).toEqual([]);
    },
  );

  it('is not the only kind: on that of a person nobody writes as a community', async () => {
    const channel = { ...stage().request().channel, targetId: String(admin) };
    idsOf(await stage().send({ channel }));
    expect(formOf('wall.post')).toMatchObject({ owner_id: String(admin) });
    expect(formOf('wall.post')).not.toHaveProperty('from_group');
  });

  it('is not written to with settings that mean nothing', async () => {
    const channel = { ...stage().request().channel, settings: { from_group: 'yes' } };
    const error = errorOf(await stage().send({ channel }));
    expect(error).toMatchObject({ category: 'PERMANENT', scope: 'channel' });
    expect(error.message).toContain('from_group');
    expect(methods()).toEqual([]);
  });
});

describe('editing a post', () => {
  const attach = (attachment: Readonly<Record<string, unknown>>) => {
    const posts = [{ id: 77, text: 'было', attachments: [attachment] }];
    control('posts', { owner_id: Number(wall), posts });
  };

  it.each([
    [{ type: 'link', link: { url: 'https://example.org/' } }, 'https://example.org/'],
    [{ type: 'video', video: { id: 5, owner_id: -3, access_key: 'k1' } }, 'video-3_5_k1'],
    [{ type: 'doc', doc: { id: 6, owner_id: 9 } }, 'doc9_6'],
  ])('passes on what is attached: %o', async (attachment, name) => {
    attach(attachment);
    expect(await stage().edit(['77'], { text: 'стало' })).toEqual({ ok: true });
    expect(formOf('wall.edit')).toMatchObject({ attachments: name, message: 'стало' });
  });

  it('does not take away what it has no name for', async () => {
    attach({ type: 'sticker', sticker: { sticker_id: 3 } });
    const outcome = await stage().edit(['77'], { text: 'стало' });
    expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', code: 'not_changeable' });
    expect(methods()).not.toContain('wall.edit');
    expect(stage().texts()).toEqual(['было']);
  });
});

describe('removing a post', () => {
  it('is done when VK denies access to a post that is gone', async () => {
    control('fail', { method: 'wall.delete', code: 210 });
    expect(await stage().remove(['999'])).toEqual({ ok: true });
  });

  it('is refused when VK denies access to a post that is there', async () => {
    const ids = idsOf(await stage().send());
    control('fail', { method: 'wall.delete', code: 210 });
    expect(errorOf(await stage().remove(ids))).toMatchObject({
      category: 'PERMANENT',
      code: 'not_changeable',
    });
  });
});
