import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { movableClock } from '../../sandbox/clock.ts';
import { startSandbox } from '../../sandbox/start.ts';
import {
  channel,
  group,
  startTelegram,
  supergroup,
  type TelegramSandbox,
  token,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

const send = (chat: unknown) => sandbox.words('sendMessage', { chat_id: chat, text: 'a' });

describe('a scripted fault', () => {
  it('strikes the method in any case and the chat by any name', async () => {
    sandbox.faults.add({
      kind: 'rate_limited',
      retryAfter: 2.5,
      method: 'sendMessage',
      chat: String(supergroup),
    });
    expect(await send(user)).toMatchObject({ text: 'a' });
    expect(await send('@town')).toBe('429 Too Many Requests: retry after 3');
    const lower = await sandbox.words('sendmessage', { chat_id: supergroup, text: 'a' });
    expect(lower).toBe('429 Too Many Requests: retry after 3');
    expect(await sandbox.words('getChat', { chat_id: supergroup })).toMatchObject({
      title: 'Town',
    });
  });

  it.each<[number, string]>([
    [user, '403 Forbidden: bot was blocked by the user'],
    [group, '403 Forbidden: bot was kicked from the group chat'],
    [supergroup, '403 Forbidden: bot was kicked from the supergroup chat'],
    [channel, '403 Forbidden: bot was kicked from the channel chat'],
    [999, '400 Bad Request: chat not found'],
  ])('kicks the bot out of %i', async (chat, words) => {
    sandbox.faults.add({ kind: 'kicked', times: 1 });
    expect(await send(chat)).toBe(words);
  });

  it('revokes the token', async () => {
    sandbox.faults.add({ kind: 'revoked', times: 1 });
    expect(await send(user)).toBe('401 Unauthorized');
    expect(await send(user)).toMatchObject({ text: 'a' });
  });

  it.each([
    [undefined, '500 Internal Server Error: restart'],
    [502, '502 Bad Gateway'],
  ])('breaks the server: %s', async (status, words) => {
    sandbox.faults.add({ kind: 'server_error', status, stored: true, times: 1 });
    expect(await send(user)).toBe(words);
    expect(sandbox.posts(user)).toHaveLength(1);
  });

  it('moves a group for good', async () => {
    sandbox.faults.add({ kind: 'migrated', chat: String(group), times: 1 });
    const refused = await sandbox.call('sendMessage', { chat_id: group, text: 'a' });
    expect(refused).toMatchObject({ parameters: { migrate_to_chat_id: -1_000_000_000_077 } });
    expect(await sandbox.call('sendMessage', { chat_id: group, text: 'a' })).toEqual(refused);
    expect(await send(-1_000_000_000_077)).toMatchObject({ text: 'a' });
  });

  it('moves a supergroup to a number that is free, and nobody else', async () => {
    sandbox.faults.add({ kind: 'migrated', times: 2 });
    expect(await sandbox.call('sendMessage', { chat_id: supergroup, text: 'a' })).toMatchObject({
      parameters: { migrate_to_chat_id: -1_000_000_000_703 },
    });
    expect(await send(user)).toMatchObject({ text: 'a' });
  });
});

describe('an order', () => {
  it.each<[string, object, string]>([
    ['dance', {}, 'There is no order "dance"; there are bots, revoke'],
    ['bots', { token: 'x' }, 'a token looks like 123:secret'],
    ['chats', { id: 5, type: 'group' }, '5 cannot be the id of a group'],
    ['chats', { id: -5, type: 'channel' }, '-5 cannot be the id of a channel'],
    ['say', { chat: 999, text: 'a' }, 'There is no chat 999.'],
    ['revoke', { token: '1:x' }, 'There is no bot with that token.'],
    ['limits', { chat: { calls: 0, ms: 1 } }, 'Too small'],
  ])('that cannot be is refused: %s %j', (name, body, words) => {
    expect(() => sandbox.order(name, body)).toThrow(words);
  });
});

describe('the page of a chat', () => {
  it('shows formatted text and escapes what is hostile', async () => {
    const clock = movableClock(0);
    const whole = await startSandbox({ clock });
    const { simulator, url } = whole.telegram;
    simulator.control('bots', { token });
    simulator.control('chats', { id: 5, type: 'private', first_name: '<img src=x>' });
    const text =
      '<b>bold <i>both</i></b> &lt;script&gt;alert(1)&lt;/script&gt; <a href="http://x.io/?q=%22&gt;">link</a> https://y.io/"onclick=1';
    const query = new URLSearchParams({ chat_id: '5', text, parse_mode: 'HTML' });
    await fetch(`${url}/bot${token}/sendMessage?${query.toString()}`);
    const accept = { headers: { accept: 'text/html' } };
    const page = await (await fetch(`${whole.controlUrl}/chats/telegram/5`, accept)).text();
    await whole.close();
    const outside = 'rel="noreferrer noopener" target="_blank"';
    expect(page).toContain('<b>bold </b><b><i>both</i></b> &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain(`<a href="http://x.io/?q=%22&gt;" ${outside}>link</a>`);
    expect(page).toContain(`<a href="https://y.io/" ${outside}>https://y.io/</a>&quot;onclick=1`);
    expect(page).toContain('&lt;img src=x&gt;');
    expect(page).not.toMatch(/<(script|img)/);
  });
});
