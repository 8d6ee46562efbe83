import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APIError, type VK } from 'vk-io';
import { z } from 'zod';
import {
  admin,
  community,
  photoFile,
  startSeconds,
  startVk,
  stranger,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

let vk: VkSandbox;
let client: VK;

beforeEach(async () => {
  vk = await startVk();
  client = vk.client(vk.tokens.admin);
});

afterEach(() => vk.close());

async function errorOf(work: Promise<unknown>): Promise<APIError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof APIError) return error;
  throw new Error('the call was not refused', { cause: error });
}

describe('vk-io, a client that we did not write,', () => {
  it('posts as the community and reads the post back', async () => {
    const { post_id: id } = await client.api.wall.post({
      owner_id: wall,
      from_group: 1,
      message: 'Пропал рыжий пёс',
    });
    const { count, items } = await client.api.wall.get({ owner_id: wall, count: 1 });
    expect(count).toBe(1);
    expect(items[0]).toMatchObject({
      id,
      owner_id: wall,
      from_id: wall,
      created_by: admin,
      date: startSeconds,
      text: 'Пропал рыжий пёс',
      post_type: 'post',
      marked_as_ads: 0,
    });
    expect(items[0]).not.toHaveProperty('edited');
    expect(vk.texts()).toEqual(['Пропал рыжий пёс']);
  });

  it('uploads photos and posts them; the chat shows the bytes that were sent', async () => {
    const files = [photoFile('first'), photoFile('second')];
    const photos = [];
    for (const value of files) {
      photos.push(
        await client.upload.wallPhoto({
          group_id: community,
          source: { value, filename: 'dog.png' },
        }),
      );
    }
    expect(photos.map((photo) => photo.ownerId)).toEqual([admin, admin]);
    await client.api.wall.post({
      owner_id: wall,
      from_group: 1,
      message: 'Две фотографии',
      attachments: photos.map(String).join(','),
    });
    const [shown] = vk.chat(wall).posts;
    expect(shown?.media).toMatchObject(
      files.map((file) => ({
        type: 'photo',
        size: file.length,
        sha256: createHash('sha256').update(file).digest('hex'),
        filename: 'dog.png',
      })),
    );
    const { items } = await client.api.wall.get({ owner_id: wall });
    const kinds = z.array(z.looseObject({ type: z.string() })).parse(items[0]?.attachments);
    expect(kinds.map((each) => each.type)).toEqual(['photo', 'photo']);
  });

  it('learns of a failed upload only when it saves the photo', async () => {
    vk.control('fail_uploads', { times: 1 });
    const error = await errorOf(
      client.upload.wallPhoto({ group_id: community, source: { value: photoFile() } }),
    );
    expect(error.code).toBe(100);
    expect(error.message).toContain('photos_list is invalid');
  });

  it('edits a post: attachments that are not given again are gone', async () => {
    const photo = await client.upload.wallPhoto({
      group_id: community,
      source: { value: photoFile() },
    });
    const { post_id: id } = await client.api.wall.post({
      owner_id: wall,
      from_group: 1,
      message: 'Пропал пёс',
      attachments: String(photo),
    });
    expect(vk.chat(wall).posts[0]?.media).toHaveLength(1);
    vk.clock.advance(60_000);
    const edited = await client.api.wall.edit({ owner_id: wall, post_id: id, message: 'Нашёлся!' });
    expect(edited).toEqual({ post_id: id });
    expect(vk.chat(wall).posts).toMatchObject([
      { id: String(id), text: 'Нашёлся!', media: [], editedAt: '2026-03-02T10:01:00.000Z' },
    ]);
    const { items } = await client.api.wall.get({ owner_id: wall });
    expect(items[0]).toMatchObject({ date: startSeconds, edited: startSeconds + 60 });
  });

  it('deletes a post', async () => {
    const { post_id: id } = await client.api.wall.post({ owner_id: wall, message: 'Ошибка' });
    expect(await client.api.wall.delete({ owner_id: wall, post_id: id })).toBe(1);
    expect(vk.texts()).toEqual([]);
    expect((await client.api.wall.get({ owner_id: wall })).items).toEqual([]);
  });

  it('gets the error with its code, words and parameters, but never the token', async () => {
    const error = await errorOf(client.api.wall.post({ owner_id: wall, from_group: 1 }));
    expect(error.code).toBe(100);
    expect(error.message).toContain('was missing or invalid: message is undefined');
    expect(error.params).toEqual([
      { key: 'method', value: 'wall.post' },
      { key: 'oauth', value: '1' },
      { key: 'v', value: '5.199' },
      { key: 'owner_id', value: String(wall) },
      { key: 'from_group', value: '1' },
    ]);
  });

  it('solves a captcha with the key and goes on', async () => {
    vk.control('captcha', { method: 'wall.post' });
    const sources: string[] = [];
    client.callbackService.onCaptcha(async ({ src, sid }, retry) => {
      sources.push(src);
      const keys = z.array(z.object({ sid: z.string(), key: z.string() }));
      const issued = keys.parse(vk.control('captchas')).find((each) => each.sid === sid);
      await retry(issued?.key ?? '');
    });
    await client.api.wall.post({ owner_id: wall, from_group: 1, message: 'С капчей' });
    expect(sources).toHaveLength(1);
    expect((await fetch(sources[0] ?? '')).headers.get('content-type')).toBe('image/png');
    expect(vk.texts()).toEqual(['С капчей']);
  });

  it('sends a message with a photo; a repeated random_id sends nothing', async () => {
    const bot = vk.client(vk.tokens.community);
    const photo = await bot.upload.messagePhoto({
      peer_id: stranger,
      source: { value: photoFile() },
    });
    const message = {
      peer_id: stranger,
      random_id: 7,
      message: 'Здравствуйте',
      attachment: String(photo),
    };
    const first = await bot.api.messages.send(message);
    expect(await bot.api.messages.send(message)).toBe(first);
    expect(await bot.api.messages.send({ ...message, random_id: 8 })).not.toBe(first);
    expect(vk.texts(`im${wall}_${stranger}`)).toEqual(['Здравствуйте', 'Здравствуйте']);
    expect(vk.chat(`im${wall}_${stranger}`).posts[0]?.media).toMatchObject([{ type: 'photo' }]);
  });

  it('asks who it is and what time it is', async () => {
    expect(await client.api.users.get({})).toMatchObject([{ id: admin, first_name: 'Анна' }]);
    expect(await client.api.groups.getById({ group_id: 'lost' })).toMatchObject({
      groups: [{ id: community, name: 'Потеряшки', screen_name: 'lost' }],
    });
    expect(await client.api.utils.getServerTime({})).toBe(startSeconds);
  });
});
