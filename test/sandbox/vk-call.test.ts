import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errors, VK } from 'vk-call';
import { z } from 'zod';
import {
  admin,
  community,
  photoFile,
  startVk,
  upload,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

let vk: VkSandbox;
let client: VK;

beforeEach(async () => {
  vk = await startVk();
  client = new VK({ token: vk.tokens.admin, version: '5.199', api_url: vk.server.url });
});

afterEach(() => vk.close());

const UploadServer = z.object({ upload_url: z.string() });
const Photos = z.array(z.object({ id: z.number(), owner_id: z.number() })).length(1);

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing was refused',
    (reason: unknown) => reason,
  );
}

describe("vk-call, VK's own client,", () => {
  it('asks who it speaks for', async () => {
    expect(await client.call('users.get', {})).toMatchObject([{ id: admin, first_name: 'Анна' }]);
  });

  it('posts a text as the community', async () => {
    const posted = await client.call('wall.post', {
      owner_id: wall,
      from_group: 1,
      message: 'Пропал рыжий пёс & кот, 50 % белый',
    });
    expect(posted).toEqual({ post_id: 1 });
    expect(vk.texts()).toEqual(['Пропал рыжий пёс & кот, 50 % белый']);
  });

  it('posts a photo that was uploaded', async () => {
    const group = { group_id: community };
    const server = UploadServer.parse(await client.call('photos.getWallUploadServer', group));
    const receipt = await upload(server.upload_url, photoFile());
    const saved = await client.call('photos.saveWallPhoto', { ...group, ...receipt });
    const [photo] = Photos.parse(saved);
    const attachments = `photo${photo?.owner_id}_${photo?.id}`;
    await client.call('wall.post', { owner_id: wall, from_group: 1, attachments });
    expect(vk.chat(wall).posts).toMatchObject([{ media: [{ type: 'photo' }] }]);
  });

  it('throws its own error for a refusal', async () => {
    const error = await errorOf(client.call('users.get', { user_ids: 'nobody' }));
    expect(error).toBeInstanceOf(errors.VKError);
    expect(error).toMatchObject({ name: errors.DOMAIN_NAME, type: errors.INCORRECT_USER_ID });
  });

  it('hears that it calls too often', async () => {
    vk.control('limits', { user_rps: 1 });
    await client.call('users.get', {});
    expect(await errorOf(client.call('users.get', {}))).toMatchObject({
      type: errors.TOO_MANY_REQUESTS,
    });
    vk.clock.advance(1000);
    expect(await client.call('users.get', {})).toHaveLength(1);
  });

  it('makes one call of a chain', async () => {
    vk.control('limits', { user_rps: 1 });
    const chain = client.chain();
    const users = chain.append('users.get', { user_ids: admin });
    const posted = chain.append('wall.post', { owner_id: wall, message: 'В цепочке: "да"' });
    expect(await chain.done()).toMatchObject([[{ id: admin }], { post_id: 1 }]);
    expect(await users).toMatchObject([{ id: admin }]);
    expect(await posted).toEqual({ post_id: 1 });
    expect(vk.texts()).toEqual(['В цепочке: "да"']);
  });

  it('hears which call of a chain was refused', async () => {
    const chain = client.chain();
    const refused = errorOf(chain.append('users.get', { user_ids: 'nobody' }));
    const users = chain.append('users.get', { user_ids: admin });
    await chain.done();
    expect(await refused).toMatchObject({ type: errors.INCORRECT_USER_ID });
    expect(await users).toMatchObject([{ id: admin }]);
  });

  it('hears of a whole chain that was refused', async () => {
    vk.control('fail', { code: 100, method: 'execute' });
    const chain = client.chain();
    const call = errorOf(chain.append('users.get', {}));
    expect(await errorOf(chain.done())).toMatchObject({ type: errors.WRONG_PARAMETER });
    expect(await call).toMatchObject({ type: errors.WRONG_PARAMETER });
  });
});
