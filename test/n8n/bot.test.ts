import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyWorkspace } from '../../src/db/apply.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import {
  addPerson,
  addSandboxBot,
  botPlatforms,
  type Person,
  secretOf,
} from '../support/bot/sandbox-bot.ts';
import { useN8n } from '../support/fixtures/n8n.ts';
import { addChat, sandboxTokens } from '../support/sandbox/sandbox-channels.ts';

// Without 03_monitor, which tells of the same alerts: here the monitor of bots alone does.
const stage = await useN8n({ unpublished: ['outriderMonitor3'] });
const { database, sandbox } = stage;
const workspaceId = 'shop';
const alertChat = '-1008880000777';

beforeAll(async () => {
  await addSandboxBot(database.service, workspaceId, {
    settings: {
      bot_clarify: 'Что?',
      bot_fallback: 'Не знаю.',
      bot_misses: null,
      alert_bot_errors_over: 1,
      alert_bot_fallback_over: 0.2,
      alert_on_installation: false,
    },
  });
  addChat(sandbox, 'telegram', alertChat, 'Alerts');
  const document = {
    workspace: workspaceId,
    alert_targets: { people: { kind: 'chat', target_id: alertChat, auth_ref: 'telegram' } },
  };
  await applyWorkspace(database.admin, { document, prune: false, dryRun: false });
  for (const platform of botPlatforms) {
    const url = `${stage.url}/webhook/outrider/bot/${platform}`;
    const webhook = { url, secret: secretOf(workspaceId, platform) };
    const signal = AbortSignal.timeout(10_000);
    const webhooks = stage.adapters[platform]?.webhooks;
    const done = await webhooks?.subscribe(sandboxTokens[platform], webhook, signal);
    if (done?.ok !== true) throw new Error(`no webhook for ${platform}`);
  }
});

/** Writes, and waits for the next answer. */
async function answerTo(person: Person, text: string): Promise<string | undefined> {
  const before = person.answers().length;
  person.write(text);
  await expect.poll(() => person.answers().length).toBeGreaterThan(before);
  return person.answers()[before];
}

describe.each(botPlatforms)('a bot on %s, run by n8n', (platform) => {
  it('leads a return from the question to the end', async () => {
    const person = addPerson(sandbox, platform);
    expect(await answerTo(person, 'хочу вернуть товар')).toBe('Какой номер заказа?');
    expect(await answerTo(person, '104233')).toBe('Почему возвращаете?');
    expect(await answerTo(person, 'мал')).toBe('Заказ 104233, причина: мал. Принесите его нам.');
    expect(person.answers()).toHaveLength(3);
  });

  // n8n takes calls that come at once in any order: MAX does not wait for the answer before it calls again.
  it('answers several messages of a chat in the order in which they were taken in', async () => {
    const person = addPerson(sandbox, platform);
    const taken = (): Promise<unknown> =>
      queryRow(
        database.admin,
        z.object({ count: z.int() }),
        'select count(*)::integer as count from outrider.bot_inbox where provider = $1 and chat_id = $2',
        [platform, person.chatId],
      );
    for (const [n, text] of ['доставка', 'телефон', 'доставка'].entries()) {
      person.write(text);
      await expect.poll(taken).toEqual({ count: n + 1 });
    }
    await expect
      .poll(() => person.answers())
      .toEqual(['За три дня, Аня.', 'Звоните.', 'За три дня, Аня.']);
  });
});

describe('an update', () => {
  const privately = { id: 1, type: 'private' };
  const update = {
    update_type: 'message_created',
    timestamp: Date.now(),
    message: {
      sender: { user_id: 7001, first_name: 'Аня', is_bot: false },
      recipient: { chat_id: 0, chat_type: 'dialog', user_id: 229_000_002 },
      body: { mid: 'mid.twice', seq: 1, text: 'телефон' },
    },
  };
  const header = { 'x-max-bot-api-secret': secretOf(workspaceId, 'max') };

  it('that comes twice has one row and one answer', async () => {
    const person = addPerson(sandbox, 'max');
    const recipient = { ...update.message.recipient, chat_id: Number(person.chatId) };
    const twice = { ...update, message: { ...update.message, recipient } };
    expect(await stage.post('bot/max', twice, header)).toMatchObject({
      body: { verdict: 'taken' },
    });
    await expect.poll(() => person.answers()).toEqual(['Звоните.']);
    const repeat = await stage.post('bot/max', twice, header);
    expect(repeat).toMatchObject({ status: 200, body: { verdict: 'repeated' } });
    expect((await stage.runNow('bot/turns')).status).toBe(200);
    expect(person.answers()).toEqual(['Звоните.']);
    const Count = z.object({ count: z.int() });
    const text = `select count(*)::integer as count from outrider.bot_inbox where provider_message_id = 'mid.twice'`;
    expect(await queryRow(database.admin, Count, text)).toEqual({ count: 1 });
  });

  it('of another kind or from a group is ignored', async () => {
    const added = { update_type: 'user_added', timestamp: 1, chat_id: -5 };
    const recipient = { chat_id: -5, chat_type: 'chat' };
    const inGroup = { ...update, message: { ...update.message, recipient } };
    for (const ignored of [added, inGroup]) {
      expect(await stage.post('bot/max', ignored, header)).toMatchObject({
        status: 200,
        body: { verdict: 'ignored' },
      });
    }
  });

  it('with a wrong secret, or that cannot be read, is refused', async () => {
    expect(await stage.post('bot/max', update, { 'x-max-bot-api-secret': 'no' })).toMatchObject({
      status: 401,
    });
    expect(await stage.post('bot/max', { some: 'thing' }, header)).toMatchObject({ status: 422 });
  });

  it.each([
    ['max', { ...update, timestamp: 'soon' }],
    [
      'max',
      { update_type: 'message_callback', message: update.message, callback: { callback_id: 'c' } },
    ],
    ['telegram', { update_id: 1, message: { message_id: 1, chat: privately, from: { id: 1 } } }],
    ['telegram', { update_id: 1, callback_query: { id: '1', message: { chat: privately } } }],
  ])(
    'of a stranger that lacks what platforms send is refused as any other: %s %j',
    async (platform, odd) => {
      expect(await stage.post(`bot/${platform}`, odd)).toMatchObject({ status: 401 });
    },
  );
});

describe('the monitor of bots', () => {
  it('tells of many errors and of a high share of messages that no rule matches', async () => {
    const person = addPerson(sandbox, 'max');
    for (let n = 0; n < 20; n += 1) person.write(`непонятно ${n}`);
    const refused = addPerson(sandbox, 'telegram');
    sandbox.faults.add({ kind: 'kicked', platform: 'telegram', chat: refused.chatId });
    for (let n = 0; n < 3; n += 1) refused.write('телефон');
    const told = (): string[] =>
      (sandbox.telegram.simulator.chats().find((each) => each.chat === alertChat)?.posts ?? []).map(
        ({ text }) => text,
      );
    await expect
      .poll(
        async () => {
          expect((await stage.runNow('bot/monitor')).status).toBe(200);
          // A target is told once a minute at most.
          await database.admin.query(
            `update outrider.alert_targets set told_at = told_at - interval '2 minutes'`,
          );
          return told();
        },
        { interval: 1000 },
      )
      .toEqual(
        expect.arrayContaining([
          expect.stringContaining('bot_errors'),
          expect.stringContaining('bot_fallbacks'),
        ]),
      );
  });
});
