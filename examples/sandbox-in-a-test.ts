// A test of a program that posts to Telegram: the sandbox stands in for the platform, in the process of the test.
//
//   npm run example examples/sandbox-in-a-test.ts

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Sandbox, startSandbox } from 'outrider/sandbox';

/** What is tested: it waits for as long as Telegram asks, and tries once more. */
async function postNews(apiUrl: string, text: string): Promise<number> {
  const call = `${apiUrl}/bot4200:secret/sendMessage?chat_id=@news&text=${encodeURIComponent(text)}`;
  const first = await fetch(call);
  if (first.status !== 429) return first.status;
  await delay(1000 * Number(first.headers.get('retry-after')));
  return (await fetch(call)).status;
}

let sandbox: Sandbox;

before(async () => {
  sandbox = await startSandbox();
  const { simulator } = sandbox.telegram;
  simulator.control('bots', { token: '4200:secret', username: 'news_bot' });
  const channel = { id: -1001000000001, type: 'channel', title: 'News', username: 'news' };
  simulator.control('chats', channel);
});

after(() => sandbox.close());

await test('a post that meets a rate limit is shown once', async () => {
  sandbox.faults.add({ kind: 'rate_limited', platform: 'telegram', retryAfter: 1, times: 1 });
  assert.equal(await postNews(sandbox.telegram.url, 'Hello'), 200);
  const [news] = sandbox.telegram.simulator.chats();
  assert.deepEqual(
    news?.posts.map((post) => post.text),
    ['Hello'],
  );
});
