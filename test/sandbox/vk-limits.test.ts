import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { movableClock } from '../../sandbox/clock.ts';
import { startServer } from '../../sandbox/server.ts';
import { createVk } from '../../sandbox/vk/vk.ts';
import {
  admin,
  startSeconds,
  startVk,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

const hour = 3600_000;
const day = 24 * hour;
let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

const time = 'utils.getServerTime';

describe('calls a second', () => {
  it.each([
    ['admin', 'user_rps', 3],
    ['vkId', 'user_rps', 3],
    ['service', 'service_rps', 3],
    ['community', 'community_rps', 20],
  ] as const)('by the token %s are limited by %s to %i', async (name, limit, calls) => {
    vk.control('limits', { [limit]: calls });
    const token = vk.tokens[name];
    for (let call = 0; call < calls; call += 1) await vk.call(time, {}, token);
    expect(await vk.refusal(time, {}, token)).toMatchObject({
      error_code: 6,
      error_msg: 'Too many requests per second',
    });
    vk.clock.advance(999);
    expect((await vk.refusal(time, {}, token)).error_code).toBe(6);
    vk.clock.advance(1);
    await vk.call(time, {}, token);
  });

  it('of one token do not slow another', async () => {
    vk.control('limits', { user_rps: 1 });
    await vk.call(time);
    await vk.call(time, {}, vk.tokens.stranger);
    expect((await vk.refusal(time)).error_code).toBe(6);
  });

  it('that are refused have no effect', async () => {
    vk.control('limits', { user_rps: 1 });
    await vk.post({ message: 'first' });
    const values = { owner_id: wall, message: 'second' };
    expect((await vk.refusal('wall.post', values)).error_code).toBe(6);
    expect(vk.texts()).toEqual(['first']);
  });
});

describe('limits', () => {
  it('are what is reported of the live service unless they are set', async () => {
    const untouched = await startServer({ create: createVk, clock: movableClock(0) });
    try {
      expect(untouched.simulator.control('limits', {})).toMatchObject({
        user_rps: 3,
        service_rps: 3,
        community_rps: 20,
        wall_get_per_day: 5000,
        posts_per_day: 500,
        guid_window_s: 3600,
      });
    } finally {
      await untouched.close();
    }
  });

  it.each([
    ['user_rps', 6, time, {}],
    ['wall_get_per_day', 29, 'wall.get', { owner_id: wall }],
    ['posts_per_day', 214, 'wall.post', { owner_id: wall, message: 'x' }],
    ['ads_per_day', 224, 'wall.post', { owner_id: wall, message: 'x', mark_as_ads: 1 }],
    ['same_text', 9, 'wall.post', { owner_id: wall, message: 'x' }],
    ['postponed_total', 214, 'wall.post', { message: 'x', publish_date: startSeconds + 60 }],
    ['postponed_per_day', 214, 'wall.post', { message: 'x', publish_date: startSeconds + 60 }],
  ])(
    'refuse a call when %s is 0, and take it when that is null',
    async (name, code, method, values) => {
      vk.control('limits', { [name]: 0 });
      expect((await vk.refusal(method, values)).error_code).toBe(code);
      vk.control('limits', { [name]: null });
      await vk.call(method, values);
    },
  );
});

describe('the same words', () => {
  it('are refused as flood on a wall that has had them too often', async () => {
    vk.control('limits', { same_text: 2 });
    await vk.post();
    await vk.post();
    const values = { owner_id: wall, message: 'Пропал рыжий пёс' };
    expect(await vk.refusal('wall.post', values)).toMatchObject({
      error_code: 9,
      error_msg: 'Flood control',
    });
    await vk.post({ message: 'Другие слова' });
    vk.clock.advance(hour);
    await vk.post();
    expect(vk.texts()).toHaveLength(4);
  });

  it('under the same guid count once', async () => {
    vk.control('limits', { same_text: 1 });
    const first = await vk.post({ guid: 'delivery-1' });
    expect(await vk.post({ guid: 'delivery-1' })).toBe(first);
  });
});

describe('a day', () => {
  it('allows a token so many calls of wall.get', async () => {
    vk.control('limits', { wall_get_per_day: 2 });
    await vk.call('wall.get', { owner_id: wall });
    await vk.call('wall.get', { owner_id: wall });
    expect(await vk.refusal('wall.get', { owner_id: wall })).toMatchObject({
      error_code: 29,
      error_msg: 'Rate limit reached',
    });
    await vk.call('wall.getById', { posts: `${wall}_1` });
    await vk.call('wall.get', { owner_id: wall }, vk.tokens.service);
    vk.clock.advance(day);
    await vk.call('wall.get', { owner_id: wall });
    vk.control('limits', { wall_get_per_day: null });
    await vk.call('wall.get', { owner_id: wall });
    await vk.call('wall.get', { owner_id: wall });
  });

  it('has room for so many posts on a wall; deleted ones count, too', async () => {
    vk.control('limits', { posts_per_day: 2 });
    await vk.post();
    await vk.call('wall.delete', { owner_id: wall, post_id: await vk.post() });
    expect(await vk.refusal('wall.post', { owner_id: wall, message: 'x' })).toMatchObject({
      error_code: 214,
      error_msg: 'Access to adding post denied: you can only add 50 posts a day',
    });
    await vk.call('wall.post', { message: 'on another wall' });
    vk.clock.advance(day);
    await vk.post();
  });

  it('does not count posts that the control API put on the wall', async () => {
    vk.control('limits', { posts_per_day: 2 });
    const before = { owner_id: wall, posts: [{}, {}, { date: startSeconds - 86_400 }] };
    vk.control('posts', before);
    await vk.post();
    vk.control('posts', before);
    await vk.post();
    expect((await vk.refusal('wall.post', { owner_id: wall, message: 'x' })).error_code).toBe(214);
  });

  it('has room for so many posts on the walls of others', async () => {
    vk.control('limits', { foreign_posts_per_day: 1 });
    vk.control('wall', { owner_id: wall, wall: 'open' });
    vk.control('wall', { owner_id: admin, wall: 'open' });
    const { stranger } = vk.tokens;
    await vk.call('wall.post', { owner_id: wall, message: 'x' }, stranger);
    const error = await vk.refusal('wall.post', { owner_id: admin, message: 'x' }, stranger);
    expect(error).toMatchObject({
      error_code: 214,
      error_msg: 'Access to adding post denied: too many messages sent',
    });
    await vk.call('wall.post', { message: 'x' }, stranger);
  });

  it('has room for so many planned posts, and a wall for so many in all', async () => {
    vk.control('limits', { postponed_per_day: 2, postponed_total: 3 });
    const plan = (hours: number) => ({
      owner_id: wall,
      message: 'x',
      publish_date: startSeconds + hours * 3600,
    });
    // The day ends at midnight in Moscow, eleven hours from now.
    await vk.call('wall.post', plan(1));
    await vk.call('wall.post', plan(10));
    expect((await vk.refusal('wall.post', plan(9))).error_msg).toMatch(
      /^Access to adding post denied: can only schedule 25 posts on a day$/,
    );
    await vk.call('wall.post', plan(11));
    expect((await vk.refusal('wall.post', plan(40))).error_msg).toMatch(
      /^Access to adding post denied: cannot schedule more than 150 posts$/,
    );
  });

  it('has room for so many advertisements, one after the other', async () => {
    vk.control('limits', { ads_per_day: 2 });
    const ads = { owner_id: wall, message: 'Купите', mark_as_ads: 1 };
    await vk.call('wall.post', ads);
    expect((await vk.refusal('wall.post', ads)).error_code).toBe(219);
    vk.clock.advance(hour);
    await vk.call('wall.post', ads);
    vk.clock.advance(hour);
    expect((await vk.refusal('wall.post', ads)).error_code).toBe(224);
    await vk.post();
  });
});
