import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readPicture } from '../../sandbox/image.ts';
import { acceptedPicture } from '../../sandbox/vk/photo-rules.ts';
import {
  admin,
  community,
  photoFile,
  startVk,
  upload,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

const photosSchema = z.array(
  z.looseObject({
    id: z.number(),
    owner_id: z.number(),
    album_id: z.number(),
    access_key: z.string(),
    text: z.string(),
    sizes: z.array(
      z.strictObject({ type: z.string(), url: z.string(), width: z.number(), height: z.number() }),
    ),
  }),
);

let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

async function address(
  method = 'photos.getWallUploadServer',
  token = vk.tokens.admin,
): Promise<string> {
  const values = method === 'photos.getWallUploadServer' ? { group_id: community } : {};
  return z.looseObject({ upload_url: z.string() }).parse(await vk.call(method, values, token))
    .upload_url;
}

async function receipt(file = photoFile()) {
  return upload(await address(), file);
}

describe('the upload server', () => {
  it('is handed out for the wall of a community', async () => {
    expect(await vk.call('photos.getWallUploadServer', { group_id: community })).toEqual({
      album_id: -14,
      upload_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/upload\//),
      user_id: admin,
      group_id: community,
    });
  });

  it('answers with a photo that is a JSON string within JSON, and without "response"', async () => {
    const { photo, hash } = await receipt();
    expect(z.array(z.looseObject({ kid: z.string() })).parse(JSON.parse(photo))).toHaveLength(1);
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['a text', () => Buffer.from('not a picture'), 'photo'],
    ['a file in another field', () => photoFile(), 'file'],
    ['a picture longer than 14000 in all', () => photoFile('x', 13_900, 700), 'photo'],
    ['a picture thinner than 1:20', () => photoFile('x', 2100, 100), 'photo'],
    ['an empty file', () => Buffer.alloc(0), 'photo'],
  ])('answers with "[]" and status 200 for %s', async (_what, file, field) => {
    expect((await upload(await address(), file(), field)).photo).toBe('[]');
  });

  it.each([
    ['of 14000 in all', 13_300, 700],
    ['of 1:20', 2000, 100],
  ])('takes a picture %s', async (_what, width, height) => {
    expect((await receipt(photoFile('x', width, height))).photo).not.toBe('[]');
  });

  it('answers with "[]" once its address is too old, or was never handed out', async () => {
    const url = await address();
    vk.clock.advance(3600_000);
    expect((await upload(url, photoFile())).photo).toBe('[]');
    expect((await upload(`${vk.server.url}/upload/nonsense`, photoFile())).photo).toBe('[]');
  });

  it('fails as often as it is told, and then works', async () => {
    vk.control('fail_uploads', { times: 2 });
    const photos = [await receipt(), await receipt(), await receipt()].map((each) => each.photo);
    expect(photos.slice(0, 2)).toEqual(['[]', '[]']);
    expect(photos[2]).not.toBe('[]');
  });
});

describe('saving a photo', () => {
  it('makes it the property of the person who uploaded it, not of the community', async () => {
    const values = { ...(await receipt()), group_id: community, caption: 'Рыжий пёс' };
    const [photo] = photosSchema.parse(await vk.call('photos.saveWallPhoto', values));
    expect(photo).toMatchObject({ owner_id: admin, album_id: -14, text: 'Рыжий пёс' });
  });

  it('gives sizes in no order, with addresses that show a picture of that size', async () => {
    const given = await receipt(photoFile('x', 1280, 640));
    const [photo] = photosSchema.parse(await vk.call('photos.saveWallPhoto', given));
    const sizes = photo?.sizes ?? [];
    const widths = sizes.map((each) => each.width);
    expect(Math.max(...widths)).toBe(1280);
    expect(photo).toMatchObject({ orig_photo: { width: 1280, height: 640 } });
    expect(widths).not.toEqual(widths.toSorted((a, b) => a - b));
    expect(widths).not.toEqual(widths.toSorted((a, b) => b - a));
    for (const { url, width, height } of sizes) {
      const bytes = await (await fetch(url)).bytes();
      expect(readPicture(bytes)).toEqual({ mime: 'image/png', size: { width, height } });
    }
  });

  it('gives addresses that expire and cannot be changed', async () => {
    const [photo] = photosSchema.parse(await vk.call('photos.saveWallPhoto', await receipt()));
    const url = photo?.sizes[0]?.url ?? '';
    expect((await fetch(url.replace(/size=\d+/, 'size=99'))).status).toBe(404);
    vk.clock.advance(86_400_000);
    expect((await fetch(url)).status).toBe(404);
  });

  it('cuts a caption at 2048 characters', async () => {
    const values = { ...(await receipt()), caption: 'ы'.repeat(3000) };
    const [photo] = photosSchema.parse(await vk.call('photos.saveWallPhoto', values));
    expect(photo?.text).toHaveLength(2048);
  });

  it('for a message works for a community too, which then attaches it to a post', async () => {
    const { community: token } = vk.tokens;
    const url = await address('photos.getMessagesUploadServer', token);
    const given = await upload(url, photoFile());
    const [photo] = photosSchema.parse(await vk.call('photos.saveMessagesPhoto', given, token));
    expect(photo?.owner_id).toBe(wall);
    await vk.post({ attachments: `photo${wall}_${photo?.id}_${photo?.access_key}` }, token);
    expect(vk.chat(wall).posts[0]?.media).toMatchObject([{ type: 'photo', filename: 'dog.png' }]);
  });
});

describe('saving is refused', () => {
  it.each([
    ['without a photo', { photo: '' }, 100, ': photo is undefined'],
    ['with the photo of a failed upload', { photo: '[]' }, 100, ': photos_list is invalid'],
    ['with another photo', { photo: '[{"kid":"x"}]' }, 129, 'Invalid photo'],
    ['without a server', { server: '' }, 100, ': server is undefined'],
    ['with another server', { server: 1 }, 118, 'Invalid server'],
    ['without a hash', { hash: '' }, 100, ': hash is undefined'],
    ['with another hash', { hash: 'abc' }, 121, 'Invalid hash'],
    ['for an unknown community', { group_id: 999 }, 125, 'Invalid group id'],
  ])('%s', async (_what, change, code, words) => {
    const error = await vk.refusal('photos.saveWallPhoto', { ...(await receipt()), ...change });
    expect(error.error_code).toBe(code);
    expect(error.error_msg.endsWith(words)).toBe(true);
  });

  it('with the upload of somebody else', async () => {
    const error = await vk.refusal('photos.saveWallPhoto', await receipt(), vk.tokens.stranger);
    expect(error.error_code).toBe(121);
  });

  it('with an upload for another album', async () => {
    const given = await upload(await address('photos.getMessagesUploadServer'), photoFile());
    expect(await vk.refusal('photos.saveWallPhoto', given)).toMatchObject({
      error_code: 114,
      error_msg: 'Invalid album id',
    });
  });
});

describe('what kind of picture a file is', () => {
  const jpeg = (marker: number) =>
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, marker, 0, 17, 8, 0, 100, 0, 200]);
  const preamble = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 1, 2, 3]);
  const gif = (width: number) => Buffer.from([...Buffer.from('GIF89a'), width, 0, 240, 0]);

  it('is told by its first bytes', () => {
    expect(readPicture(gif(120))).toEqual({
      mime: 'image/gif',
      size: { width: 120, height: 240 },
    });
    expect(readPicture(photoFile('x', 30, 20).subarray(0, 24))?.size?.width).toBe(30);
    for (const marker of [0xc0, 0xc2, 0xcf]) {
      expect(readPicture(jpeg(marker))?.size).toEqual({ width: 200, height: 100 });
    }
    const unknown = { mime: 'image/jpeg' };
    expect(readPicture(jpeg(0xc4))).toEqual(unknown);
    expect(readPicture(preamble)).toEqual(unknown);
    const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 and more than 24 bytes');
    expect(acceptedPicture({ head: webp, size: 10 })).toBeUndefined();
    expect(readPicture(Buffer.from('<svg'))).toBeUndefined();
  });

  it('and how large decides whether VK takes it', () => {
    const megabytes = 1024 * 1024;
    expect(acceptedPicture({ head: gif(120), size: 50 * megabytes })).toBeDefined();
    expect(acceptedPicture({ head: gif(120), size: 50 * megabytes + 1 })).toBeUndefined();
    expect(acceptedPicture({ head: gif(0), size: 10 })).toBeUndefined();
    expect(acceptedPicture({ head: preamble, size: 10 })).toBeDefined();
  });
});
