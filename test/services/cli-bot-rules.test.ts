import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { apply } from '../../src/cli/apply.ts';
import { bot } from '../../src/cli/bot.ts';
import { resumeBotChat, runBotTurn, takeBotUpdate } from '../../src/db/bot.ts';
import { applyShopBot } from '../support/bot/asked-questions.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { tabbed } from '../support/cli/run-outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';

const database = await useDatabase();
const { admin, service } = database;
const folder = await useFolder();
const preset = 'presets/shop-bot.yaml';

beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', database.url);
  await applyShopBot(service);
});

afterAll(() => {
  vi.unstubAllEnvs();
});

async function run(args: readonly string[], input = '') {
  const terminal = recordingTerminal({ isTty: false, input });
  const code = await bot.run(args, terminal);
  return { code, out: terminal.printed(), err: terminal.printedErrors() };
}

/** Why a command line is refused. */
function refusal(...args: string[]): Promise<unknown> {
  return bot.run(args, recordingTerminal()).catch((error: unknown) => error);
}

async function fileOf(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

/** What somebody writes to the bot, on record. */
async function say(chatId: string, said: string): Promise<void> {
  const providerMessageId = `${chatId}-${said}`;
  const update = { chatId, providerMessageId, kind: 'message' as const, text: said };
  const at = { workspaceId: 'shop', provider: 'max' };
  await takeBotUpdate(service, { ...at, endpointId: 'max', traceId: 'trace', update });
  await runBotTurn(service, { ...at, chatId, providerMessageId });
}

const written = async (): Promise<unknown> => {
  const { rows } = await admin.query(
    `select (select count(*) from outrider.bot_logs) as logs, (select count(*) from outrider.bot_state) as chats,
       (select count(*) from outrider.bot_outbox) as replies, (select count(*) from outrider.bot_rules) as rules`,
  );
  return rows;
};

describe('outrider bot test', () => {
  const dialogues = 'presets/shop-bot.dialogues.yaml';

  it('finds that the rules of the preset do what its dialogues say', async () => {
    const { code, out, err } = await run(['test', dialogues]);
    expect(out).not.toContain('✗');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/\d+ dialogues, as expected\./);
  });

  it('says what went differently, by the rules of a file that nobody has applied', async () => {
    const rules = await fileOf(
      'rules.yaml',
      `workspace: shop
bot_rules:
  delivery: { pattern: { keywords: [достав] }, response_template: За день. }
`,
    );
    const own = await fileOf(
      'dialogues.yaml',
      `dialogues:
  - name: Right
    turns: [{ say: доставка, rule: delivery, action: matched, state: default, reply: [За, день] }]
  - name: Wrong
    turns:
      - { say: доставка, rule: payment, intent: payment, reply: За два дня, buttons: [Да], state: order }
      - { say: оплата, reply: null, action: matched }
`,
    );
    const { code, out } = await run(['test', own, '--rules', rules]);
    expect(code).toBe(1);
    expect(out.split('\n').filter((line) => !line.includes('because'))).toEqual([
      '✓ Right (1 turn)',
      '✗ Wrong (2 turns)',
      '    turn 1, "доставка"',
      '      expected rule payment',
      '      got      rule delivery',
      '    turn 1, "доставка"',
      '      expected intent payment',
      '      got      intent delivery',
      '    turn 1, "доставка"',
      '      expected state order',
      '      got      state default',
      '    turn 1, "доставка"',
      '      expected reply with "За два дня"',
      '      got      reply За день.',
      '    turn 1, "доставка"',
      '      expected button Да',
      '      got      no buttons',
      '    turn 2, "оплата"',
      '      expected action matched',
      '      got      action clarified',
      '    turn 2, "оплата"',
      '      expected reply none',
      expect.stringMatching(/^ {6}got {6}reply Не совсем понял/),
      '1 of 2 dialogues went differently.',
      '',
    ]);
    const { out: json } = await run(['test', own, '--rules', rules, '--json']);
    expect(JSON.parse(json)).toMatchObject({
      dialogues: [
        { name: 'Right', turns: 1, differences: [] },
        { name: 'Wrong', differences: { length: 7, 0: { turn: 1, expected: 'rule payment' } } },
      ],
    });
  });

  it('refuses a file that is no dialogue, and says where', async () => {
    const own = await fileOf(
      'bad.yaml',
      'dialogues:\n  - name: Bad\n    turns:\n      - { says: hello }\n',
    );
    const why = 'line 4, column 11: dialogues.0.turns.0 has no key "says"; did you mean "say"?';
    expect(await refusal('test', own)).toMatchObject({ message: expect.stringContaining(why) });
    const broken = await fileOf('broken.yaml', 'dialogues: [');
    expect(await refusal('test', broken)).toMatchObject({ hint: 'correct the file and try again' });
    expect(await refusal('test', 'nowhere.yaml')).toMatchObject({ code: 'not_found' });
    expect(await refusal('test')).toMatchObject({ name: 'UsageError' });
  });
});

describe('outrider bot chat', () => {
  it('answers each line, tells which rule answered and which would have, and writes nothing', async () => {
    const before = await written();
    const lines = ['как вернуть товар курьером', 'Оформить возврат', '55', '/new', '/start'];
    const { code, out, err } = await run(['chat', '--name', 'Аня'], lines.join('\n'));
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('  Товар можно вернуть');
    expect(out).toContain('  [Оформить возврат]');
    expect(out).toContain('matched: returns v1 · state default\n');
    expect(out).toContain('otherwise: rule "delivery" found "курьер"');
    expect(out).toContain('matched: return-start v1 · state default → return.order');
    expect(out).toContain('asked_again: return-order v1 · state return.order');
    expect(out).toContain('  Здравствуйте, Аня!');
    expect(await written()).toEqual(before);
  });

  it('talks with a person until an empty line', async () => {
    const said = ['гарантия', ''];
    const terminal = { ...recordingTerminal({ answer: '' }), ask: async () => said.shift() ?? '' };
    expect(await bot.run(['chat'], terminal)).toBe(0);
    expect(terminal.printed()).toContain('matched: warranty v1');
    expect(said).toEqual([]);
  });

  it('tells machines the same, by the rules of a file if they name one', async () => {
    const { out } = await run(['chat', '--rules', preset, '--json'], 'оператор\nвы где\n');
    expect(JSON.parse(out)).toMatchObject([
      { said: 'оператор', rule_id: 'operator-word', action: 'escalated', escalate: true },
      { said: 'вы где', reply: null, action: 'silent' },
    ]);
  });
});

describe('what was recorded', () => {
  beforeAll(async () => {
    await say('1', 'как оплатить');
    await say('1', 'жирафы и слоны');
    await say('2', 'слон и жираф');
    await say('3', 'где купить билеты');
  });

  it('is compared with what other rules would have answered', async () => {
    const before = await written();
    const rules = await fileOf(
      'new.yaml',
      `workspace: shop
bot_rules:
  payment: { pattern: { keywords: [оплат] }, response_template: Только наличными. }
  animals: { pattern: { mode: stem, keywords: [жираф] }, response_template: Не продаём. }
`,
    );
    const { code, out } = await run(['diff', rules, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      messages: 4,
      chats: 3,
      changed: [
        {
          chat_id: '1',
          said: 'как оплатить',
          before: { rule: 'payment v1' },
          after: { rule: 'payment', reply: 'Только наличными.' },
        },
        {
          said: 'жирафы и слоны',
          before: { rule: 'no rule', action: 'clarified' },
          after: { rule: 'animals', reply: 'Не продаём.' },
        },
        { chat_id: '2', after: { rule: 'animals' } },
      ],
    });
    const shown = await run(['diff', rules]);
    expect(shown.out).toContain('  - no rule (clarified, state default): "Не совсем понял');
    expect(shown.out).toContain('  + animals (matched, state default): "Не продаём."');
    expect(shown.out).toContain(
      '3 of 4 answers would be different (chats: 3). Nothing was changed.',
    );
    expect(await written()).toEqual(before);
  });

  it('does not differ by the rules that are applied', async () => {
    const { out } = await run(['diff', preset, '--since', '1h']);
    expect(out).toBe('0 of 4 answers would be different (chats: 3). Nothing was changed.\n');
  });

  it('is compared also in a chat that was handed over and then resumed', async () => {
    await say('4', 'позовите оператора');
    await say('4', 'как оплатить');
    const order = { workspaceId: 'shop', provider: 'max', chatId: '4', dryRun: false };
    await resumeBotChat(service, { ...order, operator: 'ann', reason: 'answered' });
    await say('4', 'можно оплатить картой?');
    const rules = await fileOf(
      'payment.yaml',
      `workspace: shop
bot_rules:
  operator: { pattern: { keywords: [оператор] }, response_template: Зову., escalate: true }
  payment: { pattern: { keywords: [оплат] }, response_template: Только наличными. }
`,
    );
    const { out } = await run(['diff', rules, '--limit', '3', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      messages: 3,
      changed: [{ said: 'позовите оператора' }, { said: 'можно оплатить картой?' }],
    });
  });

  it('is listed where no rule matched, the same words as one', async () => {
    const { code, out } = await run(['unmatched', '--since', '1d']);
    expect(code).toBe(0);
    expect(tabbed(out)).toMatchObject([
      { count: '2', chats: '2', example: 'слон и жираф' },
      { count: '1', chats: '1', example: 'где купить билеты' },
    ]);
  });
});

describe('outrider bot', () => {
  it('refuses what it cannot do, and says what it can', async () => {
    expect(await refusal()).toMatchObject({
      message: 'say what to do: subscribe, status, chat, test …',
    });
    expect(await refusal('caht')).toMatchObject({ message: expect.stringContaining('chat') });
    const none = await fileOf('none.yaml', 'workspace: shop\n');
    expect(await refusal('diff', none)).toMatchObject({
      code: 'not_found',
      message: `${none} has no rules of a bot`,
    });
  });
});

describe('outrider apply', () => {
  it.each([
    ['{ keywords: [a], mode: regex }', 'bot_rules.bad.pattern.mode must be'],
    ['{ keywords: a }', 'bot_rules.bad.pattern.keywords must be a list'],
  ])('finds one fault in the pattern %s', async (pattern, words) => {
    const text = `workspace: shop\nbot_rules:\n  bad: { pattern: ${pattern}, response_template: b }\n`;
    const file = await fileOf('bad.yaml', text);
    const refused = await apply.run([file], recordingTerminal()).catch(String);
    expect(refused).toContain(words);
    expect(refused).not.toContain('missing');
  });

  it.each(['{ text: Track }', '{ text: Track, url: "https://shop.example", payload: track }'])(
    'says what the button %s lacks or has too much',
    async (button) => {
      const text = `workspace: shop\nbot_rules:\n  bad: { pattern: { keywords: [a] }, response_template: b, buttons: [[${button}]] }\n`;
      const file = await fileOf('button.yaml', text);
      const refused = await apply.run([file], recordingTerminal()).catch(String);
      expect(refused).toContain('must have a text, and either a url or a payload');
    },
  );
});
