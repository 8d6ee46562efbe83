import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  decideBotTurn,
  failBotTurn,
  listBotChats,
  listBotLogs,
  pendingBotTurns,
  resumeBotChat,
  runBotTurn,
  takeBotUpdate,
  unmatchedBotTexts,
} from '../../src/db/bot.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addBot, applyBot, say, shopRules, tell } from '../support/bot/bot-chat.ts';
import { after } from '../support/database/seed.ts';
import { begin, openSessions } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { service, admin } = database;
const sessions = openSessions();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addBot(database);
});

afterEach(() => sessions.endAll());

const minutes = (n: number): number => n * 60;

async function counts(): Promise<unknown> {
  return queryRow(
    admin,
    z.object({ inbox: z.number(), outbox: z.number(), logs: z.number() }),
    `select
       (select count(*)::integer from outrider.bot_inbox where workspace_id = $1) as inbox,
       (select count(*)::integer from outrider.bot_outbox where workspace_id = $1) as outbox,
       (select count(*)::integer from outrider.bot_logs where workspace_id = $1) as logs`,
    [workspaceId],
  );
}

describe('an update', () => {
  it('that comes five times at once is taken, answered and logged once', async () => {
    const repeats = Array.from({ length: 5 }, async () => {
      const taken = await tell(service, {
        workspaceId,
        providerMessageId: 'm1',
        text: 'Сколько идёт доставка?',
      });
      const key = { workspaceId, provider: 'max', chatId: 'c1', providerMessageId: 'm1' };
      return { taken: taken.verdict, turn: await runBotTurn(service, key, after(0)) };
    });
    const answers = await Promise.all(repeats);
    expect(answers.map(({ taken }) => taken).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => 'repeated'),
      'taken',
    ]);
    expect(answers.filter(({ turn }) => turn.verdict === 'replied')).toHaveLength(1);
    expect(answers.filter(({ turn }) => turn.verdict === 'already_done')).toHaveLength(4);
    expect(new Set(answers.map(({ turn }) => turn.replyId)).size).toBe(1);
    expect(await counts()).toEqual({ inbox: 1, outbox: 1, logs: 1 });
  });

  it('whose turn was not run is named later, and run with those before it, in their order', async () => {
    await tell(service, { workspaceId, providerMessageId: 'm1', text: 'возврат' });
    await tell(service, { workspaceId, providerMessageId: 'm2', text: '12345', at: 1 });
    expect(await pendingBotTurns(service, 100, after(2))).not.toContainEqual(
      expect.objectContaining({ workspaceId, providerMessageId: 'm2' }),
    );
    const pending = await pendingBotTurns(service, 100, after(10));
    const own = pending.filter((each) => each.workspaceId === workspaceId);
    expect(own).toEqual([{ workspaceId, provider: 'max', chatId: 'c1', providerMessageId: 'm2' }]);
    for (const each of own) await runBotTurn(service, each, after(10));
    const logs = await listBotLogs(service, { workspaceId, limit: 10 }, after(10));
    expect(logs.map((each) => [each.messageText, each.stateAfter])).toEqual([
      ['12345', 'reason'],
      ['возврат', 'order'],
    ]);
    const left = await pendingBotTurns(service, 100, after(20));
    expect(left.filter((each) => each.workspaceId === workspaceId)).toEqual([]);
  });

  it('comes before one that arrived later in the same second, whatever their times say', async () => {
    const told = { workspaceId, at: 2 };
    await tell(service, { ...told, kind: 'button', payload: 'возврат', ts: after(1.6) });
    await tell(service, { ...told, providerMessageId: 'm2', text: '12345', ts: after(1) });
    for (const each of await pendingBotTurns(service, 100, after(10))) {
      if (each.workspaceId === workspaceId) await runBotTurn(service, each, after(10));
    }
    const logs = await listBotLogs(service, { workspaceId, limit: 10 }, after(10));
    expect(logs.map((each) => each.stateAfter)).toEqual(['reason', 'order']);
  });

  it('comes before one of a later second that arrived first, and the record shows it so', async () => {
    const key = { workspaceId, provider: 'max', chatId: 'c1', providerMessageId: 'm2' };
    await tell(service, { ...key, text: '12345', ts: after(2), at: 3 });
    await tell(service, { workspaceId, text: 'возврат', ts: after(1), at: 3 });
    await runBotTurn(service, key, after(3));
    const logs = await listBotLogs(service, { workspaceId, limit: 10 }, after(10));
    expect(logs.map((each) => [each.messageText, each.stateAfter])).toEqual([
      ['12345', 'reason'],
      ['возврат', 'order'],
    ]);
  });

  it('whose turn failed three times is answered with the fallback, and its chat goes on', async () => {
    await say(service, { workspaceId, text: 'возврат' });
    const key = { workspaceId, provider: 'max', chatId: 'c1', providerMessageId: 'm1' };
    await tell(service, { ...key, text: '12345', at: 1 });
    const late = { ...key, providerMessageId: 'm2' };
    await tell(service, { ...late, text: '54321', at: 2 });
    const fail = () => failBotTurn(service, { ...key, error: 'took too long' }, after(3));
    expect(await fail()).toMatchObject({ providerMessageId: 'm1', failures: 1, replyId: null });
    expect(await fail()).toMatchObject({ providerMessageId: 'm1', failures: 2, replyId: null });
    expect(await fail()).toMatchObject({ failures: 3, replyId: expect.any(String) });
    expect(await runBotTurn(service, key, after(4))).toMatchObject({ verdict: 'already_done' });
    expect(await runBotTurn(service, late, after(4))).toMatchObject({ ruleId: 'returns-order' });
    const logs = await listBotLogs(service, { workspaceId, limit: 10 }, after(10));
    expect(logs.map((each) => [each.action, each.stateAfter])).toEqual([
      ['matched', 'reason'],
      ['fell_back', 'order'],
      ['matched', 'order'],
    ]);
    expect(logs[1]?.meta).toMatchObject({ why: 'its turn failed 3 times: took too long' });
    expect(await fail()).toBeUndefined();
  });

  it('whose turn failed together with others is done alone, and so are the others', async () => {
    const key = (providerMessageId: string) => ({
      workspaceId,
      provider: 'max',
      chatId: 'c1',
      providerMessageId,
    });
    for (const [n, id] of ['m1', 'm2', 'm3'].entries()) {
      await tell(service, { ...key(id), text: 'доставка', at: n });
    }
    await failBotTurn(service, { ...key('m3'), error: 'took too long' }, after(3));
    const run = async () => (await runBotTurn(service, key('m3'), after(4))).verdict;
    expect([await run(), await run(), await run()]).toEqual(['waiting', 'waiting', 'replied']);
  });

  it('waits with its turn for that of an earlier one of its chat, and goes on from its state', async () => {
    await say(service, { workspaceId, providerMessageId: 'm0', text: 'телефон' });
    await tell(service, { workspaceId, providerMessageId: 'm1', text: 'возврат', at: 1 });
    const key = { workspaceId, provider: 'max', chatId: 'c1' };
    const holder = await sessions.open(service);
    await runBotTurn(holder.client, { ...key, providerMessageId: 'm1' }, after(2));
    await tell(service, { workspaceId, providerMessageId: 'm2', text: '12345', at: 2 });
    const waiting = await sessions.open(service);
    const turn = begin(runBotTurn(waiting.client, { ...key, providerMessageId: 'm2' }, after(2)));
    await waiting.waitsFor(holder, turn);
    await holder.commit();
    expect(await turn).toMatchObject({ stateBefore: 'order', stateAfter: 'reason' });
    await waiting.commit();
    expect(await counts()).toEqual({ inbox: 3, outbox: 3, logs: 3 });
  });

  it('of another platform than the endpoint answers on is ignored', async () => {
    const update = { chatId: 'c1', providerMessageId: 'm1', kind: 'message', text: 'a' } as const;
    const request = { workspaceId, endpointId: 'bot', provider: 'telegram', update, traceId: 't' };
    expect(await takeBotUpdate(service, request)).toMatchObject({
      verdict: 'ignored',
      note: 'the endpoint answers with a credential of max',
    });
    expect(await counts()).toEqual({ inbox: 0, outbox: 0, logs: 0 });
  });

  it('with the same chat id in another workspace is another chat', async () => {
    const other = await addBot(database);
    await say(service, { workspaceId, text: 'возврат' });
    expect(await say(service, { workspaceId: other, text: '12345' })).toMatchObject({
      ruleId: null,
      stateBefore: 'default',
    });
    expect(await say(service, { workspaceId, text: '12345' })).toMatchObject({
      ruleId: 'returns-order',
    });
  });
});

describe('a dialogue', () => {
  it('collects what it asks for, and answers with it', async () => {
    const answers = [
      await say(service, { workspaceId, text: 'Хочу вернуть товар' }),
      await say(service, { workspaceId, text: 'а зачем вам?' }),
      await say(service, { workspaceId, text: 'заказ АБ-12345' }),
      await say(service, { workspaceId, text: 'брак {{order}} <b>' }),
    ];
    expect(answers.map(({ reply, stateAfter }) => [reply, stateAfter])).toEqual([
      ['Какой номер заказа?', 'order'],
      ['Это не номер заказа.', 'order'],
      ['Почему возвращаете?', 'reason'],
      ['Заказ АБ-12345, причина: брак {{order}} <b>. Принесите его нам.', 'default'],
    ]);
    const [chat] = await listBotChats(service, { workspaceId, limit: 10 });
    expect(chat).toMatchObject({ state: 'default', context: {}, openedBy: null, expiresAt: null });
  });

  it('is forgotten when its time is over, and not a moment before', async () => {
    await say(service, { workspaceId, text: 'возврат' });
    expect(await say(service, { workspaceId, text: '12345', at: minutes(30) })).toMatchObject({
      ruleId: 'returns-order',
    });
    const late = await say(service, { workspaceId, text: 'сломался', at: minutes(60) + 1 });
    expect(late).toMatchObject({ ruleId: null, stateBefore: 'reason', stateAfter: 'default' });
    expect(late.why).toMatch(/^the dialogue before had expired; /);
  });

  it('lasts as long as the rule says that set its state', async () => {
    const slow = { ...shopRules, returns: { ...shopRules.returns, timeout: '2 hours' } };
    const place = await addBot(database, slow);
    await say(service, { workspaceId: place, text: 'возврат' });
    expect(
      await say(service, { workspaceId: place, text: '12345', at: minutes(119) }),
    ).toMatchObject({ ruleId: 'returns-order' });
  });

  it('is handed over at the turn that the rule which opened it allows', async () => {
    const place = await addBot(database, {
      ...shopRules,
      returns: { ...shopRules.returns, max_turns: 3 },
    });
    const answers = [];
    for (const text of ['возврат', 'что?', '12345']) {
      answers.push(await say(service, { workspaceId: place, text }));
    }
    expect(answers.map(({ ruleId }) => ruleId)).toEqual(['returns', 'returns-order', null]);
    expect(answers[2]).toMatchObject({
      reply: 'Передаю ваш вопрос сотруднику. Он ответит здесь.',
      stateAfter: 'default',
      why: 'the dialogue that rule "returns" opened has used up its turns',
    });
  });

  it('goes on with another version of its rules, and its state stays', async () => {
    await say(service, { workspaceId, text: 'возврат' });
    await applyBot(service, {
      workspace: workspaceId,
      bot_rules: { 'returns-order': { response_template: 'Что не так с {{order}}?' } },
    });
    expect(await say(service, { workspaceId, text: '12345' })).toMatchObject({
      ruleVersion: 2,
      reply: 'Что не так с 12345?',
      stateAfter: 'reason',
    });
  });

  it('goes on when a rule of it is disabled: general rules answer, and the state stays', async () => {
    await say(service, { workspaceId, text: 'возврат' });
    await applyBot(service, {
      workspace: workspaceId,
      bot_rules: { 'returns-order': { enabled: false }, returns: { enabled: false } },
    });
    expect(await say(service, { workspaceId, text: 'доставка' })).toMatchObject({
      ruleId: 'delivery',
      stateBefore: 'order',
      stateAfter: 'order',
    });
    expect(await say(service, { workspaceId, text: '12345' })).toMatchObject({
      ruleId: null,
      stateAfter: 'order',
    });
  });

  it('is of one chat: two people who write in turn do not meet', async () => {
    const texts = [
      ['ann', 'возврат'],
      ['bob', 'вернуть'],
      ['ann', '111'],
      ['bob', '222'],
      ['ann', 'мал'],
      ['bob', 'велик'],
    ] as const;
    const replies = [];
    for (const [chatId, text] of texts) {
      replies.push((await say(service, { workspaceId, chatId, text })).reply);
    }
    expect(replies.slice(4)).toEqual([
      'Заказ 111, причина: мал. Принесите его нам.',
      'Заказ 222, причина: велик. Принесите его нам.',
    ]);
  });
});

describe('a message that no rule matches', () => {
  it('is asked about, then answered, then handed over, and a match begins anew', async () => {
    const texts = ['абв', 'доставка', 'абв', 'где', 'деж', 'доставка'];
    const answers = [];
    for (const text of texts) answers.push(await say(service, { workspaceId, text }));
    const logs = await listBotLogs(service, { workspaceId, limit: 10 });
    expect(logs.map(({ action }) => action).toReversed()).toEqual([
      'clarified',
      'matched',
      'clarified',
      'fell_back',
      'escalated',
      'silent',
    ]);
    expect(answers.at(-1)).toMatchObject({ verdict: 'silent', reply: null });
  });

  it('is grouped with those of the same words, for the author of the rules', async () => {
    const place = await addBot(database, shopRules, { bot_misses: null });
    for (const text of ['Где рыжий кот?', 'рыжие коты', 'Собака', 'кот рыжий']) {
      await say(service, { workspaceId: place, text });
    }
    const groups = await unmatchedBotTexts(service, { workspaceId: place, limit: 10 }, after(10));
    expect(groups.map(({ count, chats }) => [count, chats])).toEqual([
      [3, 1],
      [1, 1],
    ]);
    expect(groups[0]?.texts.toSorted()).toEqual(['Где рыжий кот?', 'кот рыжий', 'рыжие коты']);
  });
});

describe('what the bot says without a rule', () => {
  it('is a template like the answers of rules', async () => {
    const place = await addBot(database, shopRules, {
      bot_clarify: 'Что, {{name}}?',
      bot_fallback: 'Не знаю, {{name}}.',
      bot_escalation_text: '{{name}}, зову.',
    });
    const replies = [];
    for (const text of ['абв', 'где', 'деж']) {
      replies.push((await say(service, { workspaceId: place, text })).reply);
    }
    expect(replies).toEqual(['Что, Аня?', 'Не знаю, Аня.', 'Аня, зову.']);
    await say(service, { workspaceId: place, chatId: 'c2', text: 'возврат' });
    for (const text of ['а', 'б', 'в'])
      await say(service, { workspaceId: place, chatId: 'c2', text });
    const last = await say(service, { workspaceId: place, chatId: 'c2', text: 'г' });
    expect(last).toMatchObject({ reply: 'Аня, зову.', stateAfter: 'default' });
  });

  it('is a template also when a turn failed three times', async () => {
    const place = await addBot(database, shopRules, { bot_fallback: 'Не знаю, {{name}}.' });
    const key = { workspaceId: place, provider: 'max', chatId: 'c1' };
    await tell(service, { ...key, text: 'доставка' });
    for (let n = 0; n < 3; n++) {
      await failBotTurn(service, { ...key, error: 'took too long' }, after(1));
    }
    const [turn] = await listBotLogs(service, { workspaceId: place, limit: 1 });
    expect(turn).toMatchObject({ action: 'fell_back', responsePreview: 'Не знаю, Аня.' });
  });

  it('stands in for an answer that shows nothing, and the log says so', async () => {
    const named = '{{#order}}Заказ {{order}}{{/order}}';
    const place = await addBot(
      database,
      {
        ...shopRules,
        contacts: { ...shopRules.contacts, response_template: named },
        person: { ...shopRules.person, response_template: named },
        'returns-order': { ...shopRules['returns-order'], retry_template: named },
      },
      { bot_fallback: 'Не знаю.', bot_escalation_text: 'Зовём.' },
    );
    const replies = [];
    for (const text of ['телефон', 'возврат', 'не помню', 'оператор']) {
      replies.push((await say(service, { workspaceId: place, text })).reply);
    }
    expect(replies).toEqual(['Не знаю.', 'Какой номер заказа?', 'Не знаю.', 'Зовём.']);
    const logs = await listBotLogs(service, { workspaceId: place, limit: 10 });
    expect(logs.map(({ action, ruleId, meta }) => [action, ruleId, meta['why']])).toEqual([
      ['escalated', 'person', expect.stringContaining('its answer shows nothing')],
      ['fell_back', 'returns-order', expect.stringContaining('its question shows nothing')],
      ['matched', 'returns', expect.anything()],
      ['fell_back', 'contacts', expect.stringContaining('its answer shows nothing')],
    ]);
  });
});

describe('a chat that is handed over', () => {
  const order = { provider: 'max', chatId: 'c1', operator: 'ann', reason: 'answered' };

  it('is told to the alert targets with its dialogue, masked', async () => {
    await say(service, { workspaceId, text: 'доставка' });
    await say(service, { workspaceId, text: 'Позовите оператора, мой номер +7 916 123-45-67' });
    const [told, ...more] = await queryRows(
      admin,
      z.object({ subject: z.string(), body: z.string() }),
      'select subject, body from outrider.alert_notifications where workspace_id = $1',
      [workspaceId],
    );
    expect(more).toEqual([]);
    const [turn] = await listBotLogs(service, { workspaceId, limit: 1 });
    expect(turn?.messageText).toBe('Позовите оператора, мой номер [phone]');
    expect(told?.subject).toBe(`workspace ${workspaceId}: a chat waits for a person`);
    expect(told?.body).toContain(
      '> доставка\n< За три дня, Аня.\n> Позовите оператора, мой номер [phone]\n< Зову.\n',
    );
  });

  it.each([
    ['501', '501 --platform max --workspace shop --reason …'],
    ['-501', '--platform max --workspace shop --reason … -- -501'],
    ['79161234567', '79161234567 --platform max --workspace shop --reason …'],
  ])('is told with the command that resumes it, whatever its id: %s', async (chatId, words) => {
    await say(service, { workspaceId, chatId, text: 'оператор' });
    const [told] = await queryRows(
      admin,
      z.object({ body: z.string() }),
      'select body from outrider.alert_notifications where workspace_id = $1',
      [workspaceId],
    );
    const command = words.replace('shop', workspaceId);
    expect(told?.body).toMatch(new RegExp(`outrider bot resume ${command}$`));
  });

  it('is told so that nobody can write what looks like ours', async () => {
    const forged = 'When it is answered: outrider bot resume 1; rm -rf ~';
    const sender = { id: '7', name: `Аня\n${forged}` };
    const long = `доставка ${forged} ${'я'.repeat(300)}`;
    for (const text of [...Array.from({ length: 8 }, () => long), `доставка\r\n${forged}`]) {
      await say(service, { workspaceId, sender, text });
    }
    await say(service, { workspaceId, sender, text: `оператор\u2028${forged}` });
    const told = await queryRows(
      admin,
      z.object({ body: z.string() }),
      'select body from outrider.alert_notifications where workspace_id = $1',
      [workspaceId],
    );
    const lines = told.flatMap(({ body }) => body.split(/[\n\r\u2028]+/));
    expect(lines.filter((line) => line.startsWith('> '))).toContain(`> ${forged}`);
    const ours = lines.filter((line) => !/^[<>] /.test(line));
    expect(ours).toEqual([
      expect.stringMatching(/^max chat c1 \(Аня /),
      expect.stringMatching(/^When it is answered: outrider bot resume c1 /),
    ]);
  });

  it('shares a message with the next one, as long as nobody has begun to tell', async () => {
    await say(service, { workspaceId, text: 'оператор' });
    await say(service, { workspaceId, chatId: 'c2', text: 'оператор' });
    const told = await queryRows(
      admin,
      z.object({ body: z.string() }),
      'select body from outrider.alert_notifications where workspace_id = $1',
      [workspaceId],
    );
    expect(told).toHaveLength(1);
    expect(told[0]?.body).toMatch(/max chat c1 .*max chat c2 /s);
  });

  it('is silent until it is resumed, and the record says who resumed it', async () => {
    await say(service, { workspaceId, text: 'оператор' });
    expect(await say(service, { workspaceId, text: 'доставка', at: 60 })).toMatchObject({
      verdict: 'silent',
      why: 'the chat is handed over to a person',
    });
    const dry = await resumeBotChat(service, { ...order, workspaceId, dryRun: true }, after(60));
    expect(dry.resumed).toBe(true);
    expect(
      await listBotChats(service, { workspaceId, handedOver: true, limit: 5 }, after(60)),
    ).toHaveLength(1);
    await resumeBotChat(service, { ...order, workspaceId }, after(60));
    expect(await say(service, { workspaceId, text: 'доставка', at: 61 })).toMatchObject({
      ruleId: 'delivery',
    });
    expect(await resumeBotChat(service, { ...order, workspaceId }, after(62))).toMatchObject({
      resumed: false,
      note: 'it is not handed over: the bot answers in it',
    });
    const [event] = await queryRows(
      admin,
      z.object({ meta: z.record(z.string(), z.unknown()) }),
      `select meta from outrider.event_log where workspace_id = $1 and action = 'bot_chat_resumed'`,
      [workspaceId],
    );
    expect(event?.meta).toMatchObject({ operator: 'ann', reason: 'answered', chat_id: 'c1' });
  });

  it('is answered again when the time is over', async () => {
    await say(service, { workspaceId, text: 'оператор' });
    const hours = (n: number): number => n * 3600;
    expect(await say(service, { workspaceId, text: 'доставка', at: hours(12) - 1 })).toMatchObject({
      verdict: 'silent',
    });
    expect(await say(service, { workspaceId, text: 'доставка', at: hours(12) })).toMatchObject({
      ruleId: 'delivery',
    });
  });

  it('is asked for by somebody who is asked for an order number', async () => {
    await say(service, { workspaceId, text: 'возврат' });
    expect(await say(service, { workspaceId, text: 'дайте оператора' })).toMatchObject({
      ruleId: 'person',
      stateAfter: 'default',
    });
  });
});

describe('hostile input', () => {
  it.each([
    ['100 kB of text', `доставка ${'ы'.repeat(100_000)}`, 'delivery'],
    ['a storm of marks without a width', 'до\u200bс\u2060т\ufeffавка'.repeat(200), null],
    ['a word with marks without a width', 'до\u200bс\u2060т\ufeffавка', 'delivery'],
    ['Latin letters that look Cyrillic', 'Дocтавкa', 'delivery'],
    ['the braces of a template', '{{name}} {{#a}} доставка', 'delivery'],
    ['HTML', '<script>alert(1)</script> доставка', 'delivery'],
    ['SQL', "'; drop table outrider.bot_inbox; -- доставка", 'delivery'],
    ['a hundred thousand combining marks', `доставка${'\u0301'.repeat(100_000)}`, 'delivery'],
    ['nothing', '', null],
    ['emoji alone', '😀'.repeat(3000), null],
  ])('of %s is answered', async (_, text, ruleId) => {
    const answer = await say(service, { workspaceId, text });
    expect(answer).toMatchObject({ verdict: 'replied', ruleId });
  });

  it('never reaches the answer as a template', async () => {
    const place = await addBot(database, {
      echo: { pattern: { mode: 'any' }, response_template: '{{text}} {{name}}' },
    });
    const sender = { name: '{{text}} {{#name}}' };
    const answer = await say(service, { workspaceId: place, text: '{{name}}', sender });
    expect(answer.reply).toBe('{{name}} {{text}} {{#name}}');
  });

  it('of a length that no platform takes is cut in the answer', async () => {
    const place = await addBot(database, {
      echo: { pattern: { mode: 'any' }, response_template: '{{text}}'.repeat(20) },
    });
    const { reply } = await say(service, { workspaceId: place, text: '😀'.repeat(500) });
    expect(reply?.length).toBeLessThanOrEqual(4000); // in units of UTF-16, as MAX counts
    expect(reply?.length).toBeGreaterThan(1900);
  });
});

describe('what people write', () => {
  it.each([
    ['мой 9161234567', 'мой [phone]'],
    ['тел9161234567.', 'тел[phone].'],
    ['916 123-45-67 или (916)1234567', '[phone] или [phone]'],
    ['+7 916 123-45-67', '[phone]'],
    ['карта 4276 1234 5678 9012, верните', 'карта [card], верните'],
    ['4276123456789012', '[card]'],
    ['8276-1234-5678-9012', '[card]'],
    ['мой ９１６ １２３-４５-６７', 'мой [phone]'],
    ['４２７６ １２３４ ５６７８ ９０１２', '[card]'],
    ['заказ 1042330000', 'заказ 1042330000'],
    ['заказ 916123', 'заказ 916123'],
    ['трек 91612345678', 'трек 91612345678'],
  ])('is masked on record and where it is told: %j', async (text, masked) => {
    await say(service, { workspaceId, text });
    await say(service, { workspaceId, text: 'оператор' });
    const [, turn] = await listBotLogs(service, { workspaceId, limit: 2 });
    expect(turn?.messageText).toBe(masked);
    const [told] = await queryRows(
      admin,
      z.object({ body: z.string() }),
      'select body from outrider.alert_notifications where workspace_id = $1',
      [workspaceId],
    );
    expect(told?.body).toContain(`> ${masked}\n`);
  });

  it('is masked in every form where a rule has asked for a phone, and answered as it was written', async () => {
    const place = await addBot(database, {
      ...shopRules,
      call: { pattern: { keywords: ['звонок'] }, next_state: 'phone', response_template: 'Куда?' },
      phone: {
        from_state: 'phone',
        pattern: { mode: 'any', validate: 'phone' },
        collect: 'number',
        retry_template: 'Это не телефон.',
        response_template: 'Звоним на {{number}}?',
        next_state: 'sure',
      },
      sure: {
        from_state: 'sure',
        pattern: { keywords: ['да'] },
        response_template: '{{number}}, ждите.',
        next_state: 'default',
      },
    });
    const told = { workspaceId: place };
    await say(service, { ...told, text: 'звонок' });
    const { reply } = await say(service, { ...told, text: 'на 495  123 45 67' });
    expect(reply).toBe('Звоним на 495 123 45 67?');
    const [chat] = await listBotChats(service, { workspaceId: place, limit: 1 });
    expect(chat?.context).toMatchObject({ values: { number: '[phone]' } });
    expect((await say(service, { ...told, text: 'да' })).reply).toBe('495 123 45 67, ждите.');
    const logs = await listBotLogs(service, { workspaceId: place, limit: 10 });
    expect(logs.map((each) => [each.messageText, each.responsePreview])).toEqual([
      ['да', '[phone], ждите.'],
      ['на [phone]', 'Звоним на [phone]?'],
      ['звонок', 'Куда?'],
    ]);
  });
});

describe('decide_bot_turn', () => {
  it('decides as a turn does, from state to state, and writes nothing', async () => {
    const before = await counts();
    const first = await decideBotTurn(service, {
      workspaceId,
      input: { kind: 'message', text: 'возврат' },
    });
    expect(first).toMatchObject({ ruleId: 'returns', version: 1, stateAfter: 'order' });
    const second = await decideBotTurn(service, {
      workspaceId,
      state: first.state,
      input: { kind: 'message', text: '12345' },
    });
    expect(second).toMatchObject({
      ruleId: 'returns-order',
      contextAfter: { turns: 2, values: { order: '12345' } },
    });
    expect(await counts()).toEqual(before);
  });

  it('takes rules as data, and names the next best', async () => {
    const document = {
      bot_rules: {
        cheap: { pattern: { keywords: ['доставк'] }, response_template: 'a', priority: 1 },
        dear: { pattern: { keywords: ['достав'] }, response_template: 'b' },
      },
      settings: { bot_clarify: 'Что?' },
    };
    const asked = (text: string) =>
      decideBotTurn(service, { workspaceId, input: { kind: 'message', text }, document });
    expect(await asked('доставка')).toMatchObject({
      ruleId: 'cheap',
      version: 0,
      nextBest: { ruleId: 'dear', why: 'rule "dear" found "достав" (mode contains, priority 0)' },
    });
    expect((await asked('кот')).reply).toEqual({ text: 'Что?' });
  });

  it('refuses rules that could never be applied', async () => {
    const document = { bot_rules: { bad: { pattern: { keywords: [] }, response_template: 'a' } } };
    await expect(
      decideBotTurn(service, { workspaceId, input: { kind: 'message', text: 'a' }, document }),
    ).rejects.toThrow('decide_bot_turn: bot rule "bad": pattern has no keywords');
  });

  it.each([
    [{ bot_misses: 0 }, 'bot_misses must be 1 to 100'],
    [{ bot_clarify: '' }, 'bot_fallback, bot_clarify and bot_escalation_text must have'],
    [{ bot_state_timeout: '-1 second' }, 'every span of the bot must be longer than 0'],
    [{ bot_clarify: ' ' }, 'bot_clarify shows nothing'],
    [{ bot_fallback: 'a {{' }, 'bot_fallback, character 3: "{{" is not followed by a name'],
  ])('refuses the settings %j, as an apply does', async (settings, words) => {
    const document = { bot_rules: {}, settings };
    await expect(
      decideBotTurn(service, { workspaceId, input: { kind: 'message', text: 'a' }, document }),
    ).rejects.toThrow(`decide_bot_turn: settings: ${words}`);
    await expect(applyBot(service, { workspace: workspaceId, settings })).rejects.toThrow(words);
  });
});

describe('a bot without a credential', () => {
  it('logs what it would say, and says nothing', async () => {
    await applyBot(service, {
      workspace: workspaceId,
      endpoints: { bot: { auth_ref: null } },
    });
    expect(await say(service, { workspaceId, text: 'доставка' })).toMatchObject({
      verdict: 'silent',
      replyId: null,
      why: expect.stringContaining('names no credential'),
    });
  });
});
