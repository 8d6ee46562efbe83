import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admin, startVk, type VkSandbox, wall } from '../support/sandbox/vk-sandbox.ts';

let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

const run = (code: string, token = vk.tokens.admin) => vk.raw('execute', { code }, token);

describe('execute', () => {
  it.each([
    ['return API.utils.getServerTime();', 1_772_445_600],
    ['return [1, -2.5, "a\\"\\u0062", \'c\', true, null];', [1, -2.5, 'a"b', 'c', true, null]],
    ['return {now: API.utils.getServerTime({}), "list": [],};', { now: 1_772_445_600, list: [] }],
    ['/* all */ return 1 // one', 1],
  ])('runs %s', async (code, response) => {
    expect(await run(code)).toEqual({ response });
  });

  it('runs calls in their order, each with its arguments as VK reads them', async () => {
    const post = (text: string) =>
      `API.wall.post({owner_id: ${wall}, from_group: true, message: "${text}"})`;
    expect(await run(`return [${post('first')}, ${post('second')}];`)).toEqual({
      response: [{ post_id: 1 }, { post_id: 2 }],
    });
    expect(vk.texts()).toEqual(['first', 'second']);
    const names = await run(`return API.users.get({user_ids: [${admin}, 1002]});`);
    expect(names).toMatchObject({ response: [{ id: admin }, { id: 1002 }] });
  });

  it('answers false for a call that is refused, and says why beside it', async () => {
    expect(await run('return [API.users.get({user_ids: "x"}), API.no.such(), 7];')).toEqual({
      response: [false, false, 7],
      execute_errors: [
        { method: 'users.get', error_code: 113, error_msg: 'Invalid user id' },
        { method: 'no.such', error_code: 3, error_msg: 'Unknown method passed' },
      ],
    });
  });

  it('counts as one call, whatever is in it', async () => {
    vk.control('limits', { user_rps: 1 });
    const calls = 'API.utils.getServerTime(),'.repeat(25);
    expect(await run(`return [${calls}];`)).toMatchObject({ response: { length: 25 } });
    expect(await run('return 1;')).toMatchObject({ error: { error_code: 6 } });
  });

  it('takes at most 25 calls', async () => {
    expect(await run(`return [${'API.utils.getServerTime(),'.repeat(26)}];`)).toMatchObject({
      error: { error_code: 13, error_msg: expect.stringContaining('Too many API calls') },
    });
  });

  it('lets a token call only what it may', async () => {
    const code = `return API.wall.get({owner_id: ${wall}});`;
    expect(await run(code, vk.tokens.community)).toMatchObject({
      response: false,
      execute_errors: [{ method: 'wall.get', error_code: 27 }],
    });
  });

  it.each([
    'var a = 1; return a;',
    'return 1 + 1;',
    'return API.users.get()[0];',
    'return API.users.get()@.id;',
    'return [1',
    'return API.users.get(;',
    'API.utils.getServerTime();',
    'return "open;',
  ])('says of code that is not simulated that it is not: %s', async (code) => {
    expect(await run(code)).toMatchObject({
      error: {
        error_code: 12,
        error_msg: expect.stringMatching(/^Unable to compile code: not simulated in this sandbox/),
        request_params: expect.arrayContaining([{ key: 'code', value: code }]),
      },
    });
    expect(vk.texts()).toEqual([]);
  });

  it('needs code, and does not run itself', async () => {
    expect(await run('')).toMatchObject({ error: { error_code: 100 } });
    expect(await run('return API.execute({code: "return 1;"});')).toMatchObject({
      response: false,
      execute_errors: [{ error_code: 3 }],
    });
  });
});

describe('a form without a content-type', () => {
  it('is read as a form', async () => {
    const answer = await fetch(`${vk.server.url}/method/users.get`, {
      method: 'POST',
      body: Buffer.from(`access_token=${vk.tokens.admin}&v=5.199&user_ids=${admin}`),
    });
    expect(await answer.json()).toMatchObject({ response: [{ id: admin }] });
  });

  it('is not read when the content-type says something else', async () => {
    const answer = await fetch(`${vk.server.url}/method/users.get`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: `access_token=${vk.tokens.admin}&v=5.199`,
    });
    expect(await answer.json()).toMatchObject({ error: { error_code: 8 } });
  });
});
