import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import type { Sandbox } from '../../sandbox/start.ts';
import type { Adapter } from '../../src/adapters/adapter.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { createTransport } from '../../src/http/transport.ts';
import { createLog } from '../../src/log.ts';
import { type Outrider, openOutrider } from '../../src/outrider.ts';
import { shopRules } from '../support/bot/bot-chat.ts';
import {
  addPerson,
  addSandboxBot,
  botPlatforms,
  type Person,
  secretOf,
  subscribe,
} from '../support/bot/sandbox-bot.ts';
import { addressOf } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { sandboxAdapters, sandboxSecrets, urlsOf } from '../support/sandbox/sandbox-channels.ts';

const database = await useDatabase();
const folder = await useFolder();
const workspace = 'shop';
const undo: (() => unknown)[] = [];
const lines: string[] = [];
let sandbox: Sandbox;
let outrider: Outrider;
let adapters: Readonly<Record<string, Adapter>>;

beforeAll(async () => {
  sandbox = await useSandbox();
  const settings = {
    backoff_base: '100 milliseconds',
    outage_after_channels: 100,
    recovery_backoff: '0 seconds',
    bot_clarify: 'Что?',
    bot_fallback: 'Не знаю.',
    bot_misses: null,
  };
  const hello = { pattern: { started: true }, response_template: 'Привет!' };
  const rules = { ...shopRules, hello };
  await addSandboxBot(database.service, workspace, { settings, rules });
  const transport = createTransport();
  undo.push(() => transport.close());
  adapters = sandboxAdapters(transport, urlsOf(sandbox));
  const { serviceLogin, servicePassword } = inject('postgres');
  const serviceUrl = addressOf(database.url, database.name, serviceLogin, servicePassword);
  outrider = await openOutrider(
    { http: { host: '127.0.0.1', port: 0 }, mediaDir: folder, secrets: sandboxSecrets },
    {
      database: { serviceUrl },
      adapters,
      intervals: { recoverEveryMs: 100, pollMs: 200 },
      log: createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) }),
    },
  );
  await outrider.start(['ingest', 'bot', 'upkeep']);
  undo.push(() => outrider.stop());
  await subscribe(adapters, workspace, outrider.url ?? '');
});

afterAll(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** What the bot has said, once it is that much. */
async function answersOf(person: Person, count: number, withinMs = 20_000): Promise<string[]> {
  return vi.waitFor(() => {
    const answers = person.answers();
    if (answers.length < count) throw new Error(`it has said ${answers.length} of ${count}`);
    return answers;
  }, withinMs);
}

describe.each(botPlatforms)('a bot on %s', (platform) => {
  it('answers a person', async () => {
    const person = addPerson(sandbox, platform);
    person.write('Сколько идёт доставка?');
    expect(await answersOf(person, 1)).toEqual(['За три дня, Аня.']);
  });

  it('leads a dialogue to its end, and keeps what was told', async () => {
    const person = addPerson(sandbox, platform);
    person.write('хочу вернуть товар');
    expect(await answersOf(person, 1)).toEqual(['Какой номер заказа?']);
    person.write('не помню');
    expect(await answersOf(person, 2)).toEqual(['Какой номер заказа?', 'Это не номер заказа.']);
    person.write('12345678');
    await vi.waitFor(() => expect(person.answers().at(-1)).toBe('Почему возвращаете?'), 20_000);
    person.write('мала');
    await vi.waitFor(
      () =>
        expect(person.answers().at(-1)).toBe('Заказ 12345678, причина: мала. Принесите его нам.'),
      20_000,
    );
  });

  it('says that it does not understand', async () => {
    const person = addPerson(sandbox, platform);
    person.write('абракадабра');
    expect(await answersOf(person, 1)).toEqual(['Что?']);
  });

  it('answers several messages of a chat in their order', async () => {
    const person = addPerson(sandbox, platform);
    const asked = ['доставка', 'телефон', 'доставка', 'телефон', 'доставка'];
    for (const text of asked) person.write(text);
    const expected = asked.map((text) => (text === 'телефон' ? 'Звоните.' : 'За три дня, Аня.'));
    expect(await answersOf(person, expected.length)).toEqual(expected);
  });

  it('answers ten messages at once at the pace of the chat, and another person meanwhile', async () => {
    const hasty = addPerson(sandbox, platform);
    const other = addPerson(sandbox, platform);
    for (let n = 0; n < 10; n++) hasty.write('доставка');
    await answersOf(hasty, 1);
    other.write('телефон');
    expect(await answersOf(other, 1)).toEqual(['Звоните.']);
    expect(hasty.answers().length).toBeLessThan(10);
    expect(await answersOf(hasty, 10, 40_000)).toHaveLength(10);
    const refused = await queryRows(
      database.admin,
      z.object({ action: z.string() }),
      `select action from outrider.bot_logs
       where workspace_id = $1 and chat_id = $2 and action in ('retry', 'failed', 'dead')`,
      [workspace, hasty.chatId],
    );
    expect(refused).toEqual([]);
  });

  it('hears that somebody starts it', async () => {
    const person = addPerson(sandbox, platform);
    person.start();
    expect(await answersOf(person, 1)).toEqual(['Привет!']);
  });

  it('hears of a pressed button, and tells the platform so', async () => {
    const person = addPerson(sandbox, platform);
    person.write('телефон');
    expect(await answersOf(person, 1)).toEqual(['Звоните.']);
    person.press('delivery');
    expect(await answersOf(person, 2)).toEqual(['Звоните.', 'За три дня, Аня.']);
    expect(lines.join()).not.toContain('a pressed button was not answered');
  });

  it('hears of a button in a chat that a person has taken over, and only tells the platform', async () => {
    const person = addPerson(sandbox, platform);
    person.write('телефон');
    await answersOf(person, 1);
    person.write('оператор');
    const said = await answersOf(person, 2);
    person.press('delivery');
    await vi.waitFor(async () => {
      const heard = await queryRows(
        database.admin,
        z.object({ status: z.string() }),
        `select status from outrider.bot_outbox
         where workspace_id = $1 and provider = $2 and chat_id = $3 and reply = '{}'`,
        [workspace, platform, person.chatId],
      );
      expect(heard).toEqual([{ status: 'sent' }]);
    }, 20_000);
    expect(person.answers()).toEqual(said);
    expect(lines.join()).not.toContain('a pressed button was not answered');
  });

  it('waits when the platform says so, and then answers', async () => {
    const person = addPerson(sandbox, platform);
    const chat = person.chatId;
    sandbox.faults.add({ kind: 'rate_limited', times: 1, platform, chat, retryAfter: 1 });
    person.write('доставка');
    expect(await answersOf(person, 1)).toEqual(['За три дня, Аня.']);
  });

  it('tries again when the platform is ill', async () => {
    const person = addPerson(sandbox, platform);
    const chat = person.chatId;
    sandbox.faults.add({ kind: 'server_error', times: 2, platform, chat });
    person.write('доставка');
    expect(await answersOf(person, 1)).toEqual(['За три дня, Аня.']);
  });
});

const Row = z.object({ inbox: z.number(), outbox: z.number(), logs: z.number() });

async function counted(chatId: string): Promise<z.output<typeof Row>> {
  const [row] = await queryRows(
    database.admin,
    Row,
    `select
       (select count(*)::int from outrider.bot_inbox where chat_id = $1) as inbox,
       (select count(*)::int from outrider.bot_outbox where chat_id = $1) as outbox,
       (select count(*)::int from outrider.bot_logs where chat_id = $1) as logs`,
    [chatId],
  );
  return Row.parse(row);
}

async function call(platform: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const url = `${outrider.url}/v1/bot/${platform}`;
  const answer = await fetch(url, { method: 'POST', body: text, headers });
  return { status: answer.status, body: z.looseObject({}).parse(await answer.json()) };
}

const ofTelegram = () => ({
  'x-telegram-bot-api-secret-token': secretOf(workspace, 'telegram'),
});
const ofMax = () => ({ 'x-max-bot-api-secret': secretOf(workspace, 'max') });

function telegramUpdate(chat: string, text: string, message_id = 1): object {
  return {
    update_id: 1,
    message: {
      message_id,
      date: 1_790_000_000,
      chat: { id: Number(chat), type: 'private' },
      from: { id: Number(chat), is_bot: false, first_name: 'Аня' },
      text,
    },
  };
}

describe('an update', () => {
  it('is taken once, however often it comes at once', async () => {
    const person = addPerson(sandbox, 'telegram');
    const update = telegramUpdate(person.chatId, 'доставка');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('telegram', update, ofTelegram())),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const verdicts = answers
      .map(({ body }) => body['verdict'])
      .map(String)
      .toSorted((one, other) => one.localeCompare(other));
    expect(verdicts).toEqual(['repeated', 'repeated', 'repeated', 'repeated', 'taken']);
    expect(await answersOf(person, 1)).toEqual(['За три дня, Аня.']);
    expect(await counted(person.chatId)).toEqual({ inbox: 1, outbox: 1, logs: 1 });
  });

  it.each([
    ['no secret', {}, 401, 'missing_secret'],
    ['a wrong secret', { 'x-max-bot-api-secret': 'another' }, 401, 'unknown_secret'],
    ['the secret in the header of another platform', ofTelegram(), 401, 'missing_secret'],
  ])('is refused with %s', async (_what, headers, status, code) => {
    const answer = await call('max', { update_type: 'message_created' }, headers);
    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  it('is not taken for the bot of another platform', async () => {
    const person = addPerson(sandbox, 'telegram');
    const update = telegramUpdate(person.chatId, 'доставка');
    const headers = { 'x-telegram-bot-api-secret-token': secretOf(workspace, 'max') };
    const answer = await call('telegram', update, headers);
    expect(answer).toMatchObject({ status: 200, body: { verdict: 'ignored' } });
    expect(await counted(person.chatId)).toEqual({ inbox: 0, outbox: 0, logs: 0 });
  });

  it.each([
    ['not JSON', '{', 400, 'malformed_json'],
    ['a list', [], 422, 'update_refused'],
    ['a message without a chat', { update_id: 1, message: {} }, 422, 'update_refused'],
    ['too large', `"${'x'.repeat(1_100_000)}"`, 413, 'payload_too_large'],
  ])('is refused when it is %s', async (_what, body, status, code) => {
    expect(await call('telegram', body, ofTelegram())).toMatchObject({
      status,
      body: { error: { code } },
    });
  });

  it.each([
    ['of a kind that is not answered', { update_id: 1, edited_message: {} }],
    [
      'of a group',
      {
        update_id: 1,
        message: { message_id: 1, date: 1, chat: { id: -5, type: 'group' }, text: 'доставка' },
      },
    ],
  ])('is acknowledged and ignored when it is %s', async (_what, body) => {
    expect(await call('telegram', body, ofTelegram())).toMatchObject({
      status: 200,
      body: { verdict: 'ignored' },
    });
  });

  it.each([
    ['100 kB of text', 'я'.repeat(50_000)],
    ['zero-width characters', '\u200b'.repeat(10_000)],
    ['braces of templates', '{{name}} {{#each}} {{{'],
    ['HTML and SQL', `<script>alert(1)</script>'; drop table outrider.bot_inbox; --`],
    ['NUL and half a character', 'a\u0000b\ud800'],
  ])('is answered when it holds %s', async (_what, text) => {
    const person = addPerson(sandbox, 'telegram');
    const update = telegramUpdate(person.chatId, text);
    expect(await call('telegram', update, ofTelegram())).toMatchObject({
      status: 200,
      body: { verdict: 'taken' },
    });
    expect(await answersOf(person, 1)).toEqual(['Что?']);
  });

  it('is answered when its sender has a name of 100 kB and its time lies beyond all calendars', async () => {
    const person = addPerson(sandbox, 'telegram');
    const id = Number(person.chatId);
    const message = {
      message_id: 1,
      date: 8.64e12,
      chat: { id, type: 'private' },
      from: { id, is_bot: false, first_name: '😀'.repeat(25_000) },
      text: 'доставка',
    };
    expect(await call('telegram', { update_id: 1, message }, ofTelegram())).toMatchObject({
      status: 200,
      body: { verdict: 'taken' },
    });
    expect(await answersOf(person, 1)).toEqual([`За три дня, ${'😀'.repeat(100)}.`]);
  });

  it('is refused when the database does not take it', async () => {
    const person = addPerson(sandbox, 'telegram');
    const refusing = `constraint no_such_text check (text <> 'never')`;
    await database.admin.query(`alter table outrider.bot_inbox add ${refusing}`);
    const answer = await call('telegram', telegramUpdate(person.chatId, 'never'), ofTelegram());
    await database.admin.query('alter table outrider.bot_inbox drop constraint no_such_text');
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'update_refused' } } });
  });

  it('whose turn was not done is found and answered', async () => {
    const person = addPerson(sandbox, 'max');
    await database.admin.query(
      `insert into outrider.bot_inbox
         (workspace_id, provider, chat_id, provider_message_id, endpoint_id, kind, text, trace_id, ts, received_at)
       values ($1, 'max', $2, 'left', 'max', 'message', 'телефон', 't', now() - interval '1 minute', now() - interval '1 minute')`,
      [workspace, person.chatId],
    );
    expect(await answersOf(person, 1)).toEqual(['Звоните.']);
  });

  it('is read from MAX as MAX documents it, without a person', async () => {
    const answer = await call(
      'max',
      { update_type: 'bot_stopped', timestamp: 1, chat_id: 5 },
      ofMax(),
    );
    expect(answer).toMatchObject({ status: 200, body: { verdict: 'ignored' } });
  });
});

const Reply = z.object({ status: z.string(), code: z.string().nullable() });

async function replyOf(person: Person): Promise<z.output<typeof Reply> | undefined> {
  const rows = await queryRows(
    database.admin,
    Reply,
    `select status, last_error ->> 'code' as code from outrider.bot_outbox where chat_id = $1`,
    [person.chatId],
  );
  return rows[0];
}

describe('a chat that refuses the bot', () => {
  it.each(botPlatforms)('ends its replies, and no others: %s', async (platform) => {
    const [one, other] = [addPerson(sandbox, platform), addPerson(sandbox, platform)];
    sandbox.faults.add({ kind: 'kicked', times: 1, platform, chat: one.chatId });
    one.write('доставка');
    other.write('доставка');
    expect(await answersOf(other, 1)).toEqual(['За три дня, Аня.']);
    await vi.waitFor(async () => {
      expect(await replyOf(one)).toEqual({ status: 'failed', code: 'not_allowed' });
    }, 20_000);
    expect(one.answers()).toEqual([]);
  });
});

describe('a 429 in one chat', () => {
  it.each(botPlatforms)(
    'leaves no chat without its answer, and only that one tries again: %s',
    async (platform) => {
      const one = addPerson(sandbox, platform);
      const others = Array.from({ length: 5 }, () => addPerson(sandbox, platform));
      const chat = one.chatId;
      sandbox.faults.add({ kind: 'rate_limited', times: 2, platform, chat, retryAfter: 1 });
      one.write('доставка');
      for (const other of others) other.write('телефон');
      for (const other of others) expect(await answersOf(other, 1)).toEqual(['Звоните.']);
      expect(await answersOf(one, 1)).toEqual(['За три дня, Аня.']);
      const waits = await queryRows(
        database.admin,
        z.object({ chat_id: z.string() }),
        `select chat_id from outrider.bot_logs where chat_id = any ($1) and action = 'retry'`,
        [[chat, ...others.map((each) => each.chatId)]],
      );
      expect(waits).toEqual([{ chat_id: chat }, { chat_id: chat }]);
    },
  );
});

describe('a token that was revoked', () => {
  it('loses no reply, and stops no other bot', async () => {
    const [one, other] = [addPerson(sandbox, 'telegram'), addPerson(sandbox, 'max')];
    const { simulator } = sandbox.telegram;
    const token = sandboxSecrets.TELEGRAM_TOKEN;
    simulator.control('revoke', { token, revoked: true });
    await call('telegram', telegramUpdate(one.chatId, 'доставка', 77), ofTelegram());
    await vi.waitFor(async () => {
      expect(await replyOf(one)).toEqual({ status: 'waiting', code: 'credential_refused' });
    }, 20_000);
    other.write('доставка');
    expect(await answersOf(other, 1)).toEqual(['За три дня, Аня.']);
    simulator.control('revoke', { token, revoked: false });
    await database.service.query(
      `select outrider.reopen_credential($1, 'telegram', 'test', 'it is valid again')`,
      [workspace],
    );
    expect(await answersOf(one, 1)).toEqual(['За три дня, Аня.']);
  });
});

describe('the log', () => {
  it('holds neither tokens nor secrets', () => {
    const all = lines.join('\n');
    for (const platform of botPlatforms) expect(all).toContain(`/v1/bot/${platform}`);
    expect(all).toContain('unknown_secret');
    expect(all).toContain('credential_refused');
    for (const secret of [
      ...Object.values(sandboxSecrets),
      ...botPlatforms.map((each) => secretOf(workspace, each)),
    ]) {
      expect(all).not.toContain(secret);
    }
  });
});
