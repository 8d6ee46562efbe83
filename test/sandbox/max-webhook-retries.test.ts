import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type MovableClock, movableClock } from '../../sandbox/clock.ts';
import { createMax } from '../../sandbox/max/max.ts';
import type { Simulator } from '../../sandbox/simulator.ts';
import { start, token, userId } from '../support/sandbox/max-sandbox.ts';

const step = 15_000;
const hour = 3_600_000;
const never = new Promise<undefined>(() => undefined);

let clock: MovableClock;
let max: Simulator;
/** What the webhook answers, call by call; 200 when nothing is left. */
let answers: (number | undefined | Promise<undefined>)[];
let calls: { readonly at: number; readonly body: string }[];

beforeEach(async () => {
  clock = movableClock(start);
  answers = [];
  calls = [];
  max = createMax({
    clock,
    baseUrl: 'http://max.test',
    makesChats: false,
    report: () => undefined,
    async callWebhook(_url, _headers, body) {
      calls.push({ at: clock.now() - start, body });
      return answers.length > 0 ? answers.shift() : 200;
    },
  });
  max.control('bots', { token });
  await call('POST', '/subscriptions', { url: 'https://bot.test/hook' });
});

async function call(method: string, path: string, json?: unknown): Promise<string> {
  const url = new URL(path, 'http://max.test');
  const reply = await max.handle({
    method,
    path: url.pathname,
    query: url.searchParams,
    headers: { authorization: token, 'content-type': 'application/json' },
    json,
    form: {},
    files: [],
    raw: new Uint8Array(),
  });
  return reply.body;
}

const subscribed = async () => (await call('GET', '/subscriptions')).includes('bot.test');

const write = (text: string) => max.control('write', { user_id: userId, text });

/**
 * In steps shorter than the time to answer: while the clock moves no answer is heard, so that one
 * long step would pass for a late answer.
 */
async function pass(ms: number): Promise<void> {
  await turn();
  for (let passed = 0; passed < ms; passed += step) {
    clock.advance(Math.min(step, ms - passed));
    await turn();
  }
}

describe('a webhook that does not answer 200', () => {
  it('is called again after 60 s, 150 s and 375 s, and no more once it does', async () => {
    answers = [500, 204, undefined];
    write('Hello');
    await pass(2 * hour);
    expect(calls.map(({ at }) => at)).toEqual([0, 60_000, 210_000, 585_000]);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    expect(await subscribed()).toBe(true);
  });

  it('has thirty seconds to answer', async () => {
    answers = [never];
    write('Hello');
    await pass(59_999);
    expect(calls).toHaveLength(1);
    await pass(1);
    expect(calls).toHaveLength(2);
  });

  it('loses its subscription after eight hours, and long polling works from then on', async () => {
    answers = Array.from({ length: 100 }, () => 503);
    write('lost');
    await pass(8 * hour - 1);
    expect(await subscribed()).toBe(true);
    expect(calls.map(({ at }) => at)).toEqual([
      0, 60_000, 210_000, 585_000, 1_522_500, 3_866_250, 9_725_625, 24_374_063,
    ]);
    await pass(1);
    expect(await subscribed()).toBe(false);
    await pass(48 * hour);
    expect(calls).toHaveLength(8);
    write('found');
    const updates = await call('GET', '/updates?timeout=0');
    expect(updates).toContain('"text":"found"');
    expect(updates).not.toContain('"text":"lost"');
  });

  it('keeps its subscription if any event gets through', async () => {
    answers = [503, 503];
    write('late');
    await pass(9 * hour);
    expect(calls).toHaveLength(3);
    expect(await subscribed()).toBe(true);
  });

  it('is judged anew after a success', async () => {
    answers = [503];
    write('one');
    await pass(7 * hour);
    answers = Array.from({ length: 100 }, () => 503);
    write('two');
    await pass(8 * hour - 1);
    expect(await subscribed()).toBe(true);
    await pass(1);
    expect(await subscribed()).toBe(false);
  });

  it('is not called again once it is unsubscribed', async () => {
    answers = [503];
    write('one');
    await pass(1);
    await call('DELETE', '/subscriptions?url=https://bot.test/hook');
    await pass(hour);
    expect(calls).toHaveLength(1);
  });
});
