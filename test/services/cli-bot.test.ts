import { beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox/start.ts';
import { runBotTurn, takeBotUpdate } from '../../src/db/bot.ts';
import { addSandboxBot, secretOf } from '../support/bot/sandbox-bot.ts';
import { runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { sandboxSecrets, urlsOf } from '../support/sandbox/sandbox-channels.ts';

const database = await useDatabase();
const workspace = 'shop';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await useSandbox();
  await addSandboxBot(database.service, workspace);
});

async function bot(...args: readonly string[]) {
  const { telegram, max } = urlsOf(sandbox);
  const env = {
    ...sandboxSecrets,
    TELEGRAM_API_URL: telegram,
    MAX_API_URL: max,
    MAX_SECRET: secretOf(workspace, 'max'),
    TELEGRAM_SECRET: secretOf(workspace, 'telegram'),
    OTHER_SECRET: 'no-endpoint-has-it',
    OUTRIDER_WORKSPACE: workspace,
    ODD_SECRET: 'with spaces and ümlauts',
  };
  return runOutrider(['bot', ...args], { databaseUrl: database.url, env });
}

const url = 'https://bot.example.org';

describe('outrider bot', () => {
  it('gives a bot a webhook, says where it is, and takes it away', async () => {
    const before = await bot('status');
    expect([before.code, before.out]).toEqual([
      1,
      'max (max): no webhook; outrider bot subscribe gives it one\n' +
        'telegram (telegram): no webhook; outrider bot subscribe gives it one\n',
    ]);
    for (const platform of ['max', 'telegram']) {
      const secret = `env:${platform.toUpperCase()}_SECRET`;
      const done = await bot('subscribe', platform, '--url', `${url}/`, '--secret', secret);
      expect([done.code, done.out, done.err]).toEqual([
        0,
        `${platform} (${platform}): subscribed ${url}/v1/bot/${platform}\n`,
        '',
      ]);
    }
    const status = await bot('status', '--json');
    expect(status.code).toBe(0);
    expect(JSON.parse(status.out)).toMatchObject([
      { auth_ref: 'max', verdict: 'subscribed', url: `${url}/v1/bot/max` },
      { auth_ref: 'telegram', verdict: 'subscribed', url: `${url}/v1/bot/telegram` },
    ]);
    const ended = await bot('unsubscribe', 'telegram', '--url', url);
    expect([ended.code, ended.out]).toEqual([
      0,
      `telegram (telegram): unsubscribed ${url}/v1/bot/telegram\n`,
    ]);
    const again = await bot('unsubscribe', 'telegram', '--url', url);
    expect([again.code, again.out]).toEqual([1, expect.stringContaining('the bot has no webhook')]);
  });

  it.each([
    ['a secret that no endpoint has', 'env:OTHER_SECRET', 'no endpoint of workspace shop has'],
    ['a secret that the platform does not take', 'env:ODD_SECRET', 'does not take this secret'],
    [
      'the secret of another bot',
      'env:TELEGRAM_SECRET',
      'this secret is of endpoint telegram, which answers with telegram, not with max',
    ],
    ['a secret that is not set', 'env:NOT_SET', 'environment variable NOT_SET is not set'],
  ])('subscribes nothing with %s', async (_what, ref, words) => {
    const refused = await bot('subscribe', 'max', '--url', url, '--secret', ref);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain(words);
    expect(refused.err).not.toContain('no-endpoint-has-it');
  });

  it.each([
    ['a query', `${url}/?a=b`, 'may have no query'],
    ['a fragment', `${url}/#a`, 'may have no query and no fragment'],
    ['a user', 'https://ann:opensesame@bot.example.org', 'may have no user and no password'],
  ])('subscribes no address with %s', async (_what, address, words) => {
    const secret = ['--secret', 'env:MAX_SECRET'];
    const refused = await bot('subscribe', 'max', '--url', address, ...secret);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain(words);
    expect(refused.err).not.toContain('opensesame');
  });

  it('finds a chat behind a thousand others, and one whose id begins with a minus', async () => {
    const place = 'many';
    await addSandboxBot(database.service, place);
    await database.admin.query(
      `insert into outrider.bot_state (workspace_id, provider, chat_id, handed_over_at, handed_over_until, updated_at)
       select $1, 'max', n::text, now(), 'infinity', now() - n * interval '1 second' from generate_series(-1, 1100) n`,
      [place],
    );
    const there = ['--workspace', place];
    const record = await bot('log', '1100', ...there, '--format', 'table');
    expect([record.code, record.out]).toEqual([0, 'There is nothing on record.\n']);
    const done = await bot('resume', '1099', ...there, '--reason', 'answered');
    expect([done.code, done.out]).toEqual([0, 'the bot answers again in chat 1099 of max\n']);
    const minus = await bot('resume', '-1', ...there, '--reason', 'answered');
    expect(minus.code).not.toBe(0);
    expect(minus.err).toContain('an id that begins with a minus comes last, after --');
    const meant = await bot('resume', ...there, '--reason', 'answered', '--', '-1');
    expect([meant.code, meant.out]).toEqual([0, 'the bot answers again in chat -1 of max\n']);
  });

  it('lists the chats that were handed over and what was said there, and lets the bot answer again', async () => {
    const chatId = '4711';
    const update = { chatId, providerMessageId: 'm1', kind: 'message', text: 'оператор' } as const;
    const key = { workspaceId: workspace, provider: 'max' };
    await takeBotUpdate(database.service, { ...key, endpointId: 'max', update, traceId: 't' });
    await runBotTurn(database.service, { ...key, chatId, providerMessageId: 'm1' });

    const waiting = await bot('chats', '--handed-over', '--format', 'tsv');
    const iso = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
    expect(tabbed(waiting.out)).toMatchObject([
      { chat_id: chatId, provider: 'max', handed_over_until: expect.stringMatching(iso) },
    ]);
    const record = await bot('log', chatId, '--format', 'tsv');
    expect(tabbed(record.out)).toMatchObject([
      { action: 'escalated', rule_id: 'person', message_text: 'оператор' },
    ]);
    const errors = await bot('log', '--errors', '--format', 'table');
    expect([errors.code, errors.out]).toEqual([0, 'There is nothing on record.\n']);
    const unknown = await bot('log', '4712');
    expect(unknown.err).toContain('no chat 4712 is known\n');
    expect(unknown.err).toContain('4711 (max)');

    const look = await bot('resume', chatId, '--dry-run');
    expect([look.code, look.out]).toEqual([0, 'the bot would answer again in chat 4711 of max\n']);
    const done = await bot('resume', chatId, '--reason', 'answered by phone');
    expect([done.code, done.out]).toEqual([0, 'the bot answers again in chat 4711 of max\n']);
    const again = await bot('resume', chatId, '--reason', 'once more');
    expect(again.code).not.toBe(0);
    expect(again.err).toContain('no chat 4711 is handed over');
  });
});
