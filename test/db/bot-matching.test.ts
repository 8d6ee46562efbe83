import { describe, expect, it } from 'vitest';
import { type BotInput, type BotState, decideBotTurn } from '../../src/db/bot.ts';
import { addBot } from '../support/bot/bot-chat.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { service, admin } = database;

type Rules = Record<string, object>;
const answer = { response_template: 'a' };

/** Asks the rules of a workspace, which are found by their probes, and the same rules as data. */
async function asked(bot_rules: Rules, input: Partial<BotInput>, state?: BotState) {
  const workspaceId = await addBot(database, bot_rules);
  const request = {
    workspaceId,
    state,
    input: { kind: 'message' as const, ...input },
  };
  const applied = await decideBotTurn(service, request);
  const given = await decideBotTurn(service, { ...request, document: { bot_rules } });
  expect(given.ruleId).toBe(applied.ruleId);
  return applied;
}

async function isMatched(pattern: object, text: string): Promise<boolean> {
  return (await asked({ rule: { pattern, ...answer } }, { text })).ruleId === 'rule';
}

describe('a keyword', () => {
  it.each([
    ['contains', 'достав', 'Когда ДОСТАВЯТ?', true],
    ['contains', 'плат', 'предоплата', true],
    ['contains', 'по карте', 'оплата по карте', true],
    ['contains', 'по карте', 'по моей карте', false],
    ['contains', 'ёлка', 'ЕЛКА и шары', true],
    ['contains', 'да', 'когда', true],
    ['contains', 'ок', 'нет', false],
    ['contains', 'a', 'b', false],
    ['contains', 'не работа', 'у меня Не работает', true],
    ['contains', 'не работа', 'вы в магазине работаете?', false],
    ['contains', 'нал или', 'оригинал или нет', false],
    ['contains', 'где заказ', 'гдеееее заказзз', true],
    ['contains', '1000', '10000 рублей', true],
    ['contains', 'для ооо', 'счёт для ООО', true],
    ['contains', 'для ооо', 'для обмена', false],
    ['stem', 'оператор', 'ОПЕРАТОООР', true],
    ['stem', 'доставка', 'по доставке', true],
    ['stem', 'доставка', 'предоставка', false],
    ['stem', 'часы работы', 'какие у вас часы работы?', true],
    ['stem', 'часы работы', 'часах работы', true],
    ['stem', 'часы работы', 'часы вашей работы', false],
    ['stem', 'где', 'где заказ', true],
    ['stem', 'delivery', 'deliveries', true],
    ['stem', 'доставка', 'доствка', false],
    ['fuzzy', 'доставка', 'доствка', true],
    ['fuzzy', 'доставка', 'доставвка', true],
    ['fuzzy', 'доставка', 'дотсавка', true],
    ['fuzzy', 'доставка', 'доспавкой', true],
    ['fuzzy', 'доставка', 'достввкк', false],
    ['fuzzy', 'заказ', 'зказ', true],
    ['fuzzy', 'чек', 'чеки', true],
    ['fuzzy', 'чек', 'чес', false],
    ['fuzzy', 'часы работы', 'часы рабты', true],
  ])('%s %s in %j: %s', async (mode, keyword, text, matches) => {
    expect(await isMatched({ mode, keywords: [keyword] }, text)).toBe(matches);
  });

  it('is found in the first 2,000 characters of a text, and not behind them', async () => {
    const text = (before: number) => `${'длинноеслово '.repeat(before)}доставка`;
    expect(await isMatched({ keywords: ['доставк'] }, text(150))).toBe(true);
    expect(await isMatched({ keywords: ['доставк'] }, text(155))).toBe(false);
  });

  it('of several words is found with a typing error in any of them', async () => {
    const pattern = { mode: 'fuzzy', keywords: ['оплатить при получении'] };
    expect(await isMatched(pattern, 'можно оплатить при получнии?')).toBe(true);
    expect(await isMatched(pattern, 'оплттить при получнии')).toBe(true);
    expect(await isMatched(pattern, 'при получнии')).toBe(false);
    expect(await isMatched(pattern, 'оплатить получении')).toBe(false);
  });

  it('under "not" keeps a rule from matching', async () => {
    const pattern = { mode: 'stem', keywords: ['доставка'], not: ['бесплатно'] };
    expect(await isMatched(pattern, 'доставка')).toBe(true);
    expect(await isMatched(pattern, 'бесплатная ли доставка?')).toBe(false);
  });

  it('of several words under "not" begins with a word, too', async () => {
    const pattern = { keywords: ['оплат'], not: ['с произв'] };
    expect(await isMatched(pattern, 'у вас производится оплата?')).toBe(true);
    expect(await isMatched(pattern, 'оплата с производством')).toBe(false);
  });

  it('under "not" is not looked for with a typing error', async () => {
    const pattern = { mode: 'fuzzy', keywords: ['доставка'], not: ['поставка'] };
    expect(await isMatched(pattern, 'доставка')).toBe(true);
    expect(await isMatched(pattern, 'доставку')).toBe(true);
    expect(await isMatched(pattern, 'поставки')).toBe(false);
  });
});

describe('a word with one typing error', () => {
  it.each([
    ['доставка', 'доставка', true],
    ['доставка', 'достака', true],
    ['доставка', 'адоставка', true],
    ['доставка', 'доставко', true],
    ['доставка', 'одставка', true],
    ['доставка', 'одсставка', false],
    ['доставка', 'доста', false],
    ['ab', 'ba', true],
    ['abc', 'cba', false],
    ['', 'a', true],
  ])('%j and %j: %s', async (one, other, same) => {
    const { rows } = await admin.query(
      'select outrider.is_one_edit_apart($1, $2) as one, outrider.is_one_edit_apart($2, $1) as other',
      [one, other],
    );
    expect(rows).toEqual([{ one: same, other: same }]);
  });
});

describe('of several rules that match', () => {
  const rules: Rules = {
    general: { pattern: { keywords: ['доставка'] }, priority: 9, ...answer },
    own: { pattern: { keywords: ['доставка'] }, from_state: 'order', ...answer },
    free: { pattern: { mode: 'any' }, from_state: 'order', ...answer },
    lead: { pattern: { keywords: ['возврат'] }, next_state: 'order', ...answer },
  };
  const order = {
    state: 'order',
    opened_by: 'lead',
    expires_at: '2100-01-01T00:00:00Z',
    context: { turns: 1 },
  };

  it('those of the state come first, keywords before free input', async () => {
    expect((await asked(rules, { text: 'доставка' }, order)).ruleId).toBe('own');
    expect((await asked(rules, { text: 'возврат' }, order)).ruleId).toBe('free');
    expect((await asked(rules, { text: 'доставка' })).ruleId).toBe('general');
  });

  it('the priority decides, then the number of keywords, their length, the id', async () => {
    const rule = (keywords: string[], priority = 0) => ({
      pattern: { keywords },
      priority,
      ...answer,
    });
    const text = 'доставка курьером';
    const decide = async (bot_rules: Rules) => (await asked(bot_rules, { text })).ruleId;
    expect(await decide({ a: rule(['доставка', 'курьер']), b: rule(['курь'], 1) })).toBe('b');
    expect(await decide({ a: rule(['доставка']), b: rule(['дос', 'курь']) })).toBe('b');
    expect(await decide({ a: rule(['достав']), b: rule(['доставка']) })).toBe('b');
    expect(await decide({ a: rule(['доставка']), b: rule(['доставка']) })).toBe('a');
    const typo = { pattern: { mode: 'fuzzy', keywords: ['доставки', 'доспавка'] }, ...answer };
    expect(
      await decide({
        a: { ...typo, pattern: { mode: 'fuzzy', keywords: ['доспавка'] } },
        b: rule(['курь']),
      }),
    ).toBe('b');
    expect(await decide({ a: rule(['доставка']), b: typo })).toBe('b');
  });
});

describe('a pressed button', () => {
  const rules: Rules = {
    pressed: { pattern: { payloads: ['go'] }, ...answer },
    word: { pattern: { keywords: ['доставка'] }, ...answer },
  };

  it('matches by its payload, and else by the words of its payload', async () => {
    const input = (payload: string) => ({ kind: 'button' as const, payload });
    expect((await asked(rules, input('go'))).ruleId).toBe('pressed');
    expect((await asked(rules, input('доставка'))).ruleId).toBe('word');
    expect((await asked(rules, input('gone'))).ruleId).toBeNull();
  });
});

describe('somebody who starts the bot', () => {
  it('begins anew: a dialogue is left, and what it has collected is forgotten', async () => {
    const rules = {
      begin: { pattern: { keywords: ['возврат'] }, next_state: 'order', max_turns: 2, ...answer },
      order: { from_state: 'order', pattern: { mode: 'any' }, collect: 'order', ...answer },
      hello: { pattern: { started: true }, response_template: 'Привет{{order}}' },
    };
    const { state } = await asked(rules, { text: 'возврат' });
    const context = { turns: 1, values: { order: '104233' } };
    expect(await asked(rules, { kind: 'started' }, { ...state, context })).toMatchObject({
      ruleId: 'hello',
      reply: { text: 'Привет' },
      stateBefore: 'order',
      stateAfter: 'default',
      contextAfter: {},
      why: 'the dialogue before was left; rule "hello" found "started" (mode contains, priority 0)',
    });
    const { hello: _, ...without } = rules;
    expect(await asked(without, { kind: 'started' }, state)).toMatchObject({
      action: 'silent',
      stateAfter: 'default',
    });
  });

  it('is greeted by a rule for that, and is no miss without one', async () => {
    const hello = { pattern: { started: true }, ...answer };
    expect((await asked({ hello }, { kind: 'started' })).ruleId).toBe('hello');
    const word = { pattern: { keywords: ['start'] }, ...answer };
    expect(await asked({ word }, { kind: 'started', text: 'start' })).toMatchObject({
      action: 'silent',
      contextAfter: {},
    });
  });
});

describe('free input', () => {
  it('that is not valid is left to a rule that has a keyword or a button for it, and the state stays', async () => {
    const rules = {
      order: {
        from_state: 'order',
        pattern: { mode: 'any', validate: 'order_number' },
        collect: 'order',
        retry_template: 'b',
        ...answer,
      },
      begin: {
        pattern: { keywords: ['возврат'] },
        next_state: 'order',
        timeout: '2 hours',
        ...answer,
      },
      price: { pattern: { keywords: ['цена'], payloads: ['price'] }, ...answer },
      all: { pattern: { mode: 'any' }, ...answer },
    };
    const { state } = await asked(rules, { text: 'возврат' });
    const inside = (input: Partial<BotInput>) => asked(rules, input, state);
    const stays = {
      ruleId: 'price',
      action: 'matched',
      stateAfter: 'order',
      nextBest: { ruleId: 'order' },
    };
    expect(await inside({ text: 'а какая цена?' })).toMatchObject(stays);
    expect(await inside({ kind: 'button', payload: 'price' })).toMatchObject(stays);
    const { state: after } = await inside({ text: 'цена' });
    expect(after['expires_at']).toBe(state['expires_at']);
    expect(await inside({ text: 'не помню' })).toMatchObject({
      ruleId: 'order',
      action: 'asked_again',
      stateAfter: 'order',
    });
    expect(await inside({ text: 'цена 104233' })).toMatchObject({
      ruleId: 'order',
      action: 'matched',
    });
  });

  it.each([
    ['order_number', '12345', '12345'],
    ['order_number', 'мой заказ № АБ-12345.', 'АБ-12345'],
    ['order_number', 'два', null],
    ['order_number', '12', null],
    ['order_number', '+7 916 123-45-67', null],
    ['order_number', '9161234567', null],
    ['order_number', '4276 1234 5678 9012', null],
    ['order_number', 'мой 104233', '104233'],
    ['order_number', 'не помню, в 2023 году покупал', null],
    ['order_number', 'Покупал в 2023', null],
    ['order_number', 'ещё в мае 2024', null],
    ['order_number', '2023', '2023'],
    ['order_number', '12.05.2024', null],
    ['order_number', 'заказ 104233 от 12.05.2024', '104233'],
    ['order_number', 'стоил 1500 руб', null],
    ['order_number', 'за 1 500 ₽, номер 104233', '104233'],
    ['order_number', 'заказ 104 233', '104233'],
    ['order_number', 'заказ104233', '104233'],
    ['order_number', '№104233', '104233'],
    ['order_number', 'АБ12345/2', 'АБ12345/2'],
    ['number', 'их 5', '5'],
    ['phone', 'тел. 8 (916) 123-45-67', '8 (916) 123-45-67'],
    ['phone', '+79161234567', '+79161234567'],
    ['phone', 'мой:+7 916 123-45-67', '+7 916 123-45-67'],
    ['email', 'это ann@example.org', 'ann@example.org'],
    ['[a-z]{2}\\d+', 'AB12', 'AB12'],
    ['^да$|^нет$', 'нет', 'нет'],
    ['^да$|^нет$', 'не знаю', null],
  ])('that must be %s: %j gives %j', async (validate, text, value) => {
    const { rows } = await admin.query('select outrider.valid_bot_input($1, $2) as value', [
      validate,
      text,
    ]);
    expect(rows).toEqual([{ value }]);
  });
});

describe('hundreds of rules', () => {
  it('are not read for a text that some of them may match', async () => {
    const rules: Rules = {};
    for (let n = 0; n < 300; n++) {
      const mode = ['contains', 'stem', 'fuzzy'][n % 3];
      rules[`rule-${n}`] = { pattern: { mode, keywords: [`слово${n}`, `тема ${n}`] }, ...answer };
    }
    const workspaceId = await addBot(database, rules);
    const input = { kind: 'message' as const, text: 'скажите про слово177 и тему 5' };
    expect((await decideBotTurn(service, { workspaceId, input })).ruleId).toBe('rule-177');
    const { rows } = await admin.query(
      `select count(distinct k.rule_id)::integer as near
       from outrider.bot_keywords k
       where k.workspace_id = $1 and k.probe = any (
         array(select p.probe from outrider.probes_of_bot_text(outrider.read_bot_text($2), 'message', null, 'default') p))`,
      [workspaceId, 'когда привезут мой новый диван'],
    );
    expect(rows).toEqual([{ near: 0 }]);
  });
});
