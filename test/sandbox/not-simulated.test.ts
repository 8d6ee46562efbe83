import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { max as simulatedMax } from '../../sandbox/max/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { telegram as simulatedTelegram } from '../../sandbox/telegram/index.ts';
import { vk as simulatedVk } from '../../sandbox/vk/index.ts';

let sandbox: Sandbox;
let told: string[];

beforeEach(async () => {
  told = [];
  sandbox = await startSandbox({ report: (line) => told.push(line) });
  furnishDemoWorld(sandbox);
});

afterEach(() => sandbox.close());

async function telegram(method: string): Promise<unknown> {
  const answer = await fetch(
    `${sandbox.telegram.url}/bot${simulatedTelegram.demo.token}/${method}`,
  );
  return answer.json();
}

async function max(verb: string, path: string): Promise<unknown> {
  const headers = { authorization: simulatedMax.demo.token };
  const answer = await fetch(`${sandbox.max.url}${path}`, { method: verb, headers });
  return [answer.status, await answer.json()];
}

async function vk(method: string): Promise<unknown> {
  const query = `access_token=${simulatedVk.demo.token}&v=5.199`;
  return (await fetch(`${sandbox.vk.url}/method/${method}?${query}`)).json();
}

describe('a method that the platform has and the sandbox has not', () => {
  it('is told from a misspelt one at Telegram', async () => {
    const known = { ok: false, error_code: 404 };
    expect(await telegram('pinchatmessage')).toEqual({
      ...known,
      description: 'Not Found: this sandbox does not simulate pinChatMessage',
    });
    expect(await telegram('pinChatMesage')).toEqual({
      ...known,
      description: 'Not Found: method not found',
    });
    expect(told).toEqual([
      'Telegram: pinChatMessage was called, which this sandbox does not simulate',
    ]);
  });

  it('is told from a path that is not there at MAX', async () => {
    expect(await max('POST', '/chats/-1/members')).toEqual([
      404,
      { code: 'not.found', message: 'This sandbox does not simulate POST /chats/{chatId}/members' },
    ]);
    expect(await max('GET', '/chats/-1/membres')).toEqual([
      404,
      { code: 'not.found', message: 'Path /chats/-1/membres is not recognized' },
    ]);
    expect(told).toHaveLength(1);
  });

  it('is told from a misspelt one at VK', async () => {
    expect(await vk('wall.pin')).toMatchObject({
      error: {
        error_code: 33,
        error_msg: 'Not implemented yet: this sandbox does not simulate wall.pin',
      },
    });
    expect(await vk('wall.pni')).toMatchObject({ error: { error_code: 3 } });
    expect(told).toEqual(['VK: wall.pin was called, which this sandbox does not simulate']);
  });

  it('is reported to the terminal once, however often it is called', async () => {
    await telegram('sendPoll');
    await telegram('sendPoll');
    await telegram('sendDice');
    expect(told).toHaveLength(2);
  });
});

describe('what is simulated', () => {
  it('is listed by the control API and on a page', async () => {
    const listed = await fetch(`${sandbox.controlUrl}/methods`);
    expect(await listed.json()).toEqual({
      telegram: expect.arrayContaining(['getMe', 'sendMediaGroup']),
      max: expect.arrayContaining(['GET /me', 'DELETE /chats/{chatId}/pin']),
      vk: expect.arrayContaining(['wall.post', 'execute']),
    });
    const page = await fetch(`${sandbox.controlUrl}/methods`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<code>sendMediaGroup</code>');
  });

  it('answers under every name of the list', async () => {
    const { methods } = sandbox.telegram.simulator;
    const answers = await Promise.all(methods.map((name) => telegram(name)));
    expect(JSON.stringify(answers)).not.toContain('Not Found');
    const names = sandbox.vk.simulator.methods;
    expect(JSON.stringify(await Promise.all(names.map((name) => vk(name))))).not.toMatch(
      /"error_code":(3|33),/,
    );
    expect(told).toEqual([]);
  });
});
