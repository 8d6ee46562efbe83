import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Change } from '../../src/db/apply.ts';
import { decideBotTurn } from '../../src/db/bot.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { hashOfSecret } from '../../src/ingest/secret.ts';
import { addBot, applyBot, botDocument, shopRules } from '../support/bot/bot-chat.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { service, admin } = database;
const answer = { response_template: 'a' };
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addBot(database);
});

async function apply(bot_rules: object, prune = false): Promise<Change[]> {
  const changes = await applyBot(service, { workspace: workspaceId, bot_rules }, prune);
  return changes.filter(({ kind }) => kind === 'bot_rule');
}

const versions = (ruleId: string) =>
  queryRows(
    admin,
    z.object({ version: z.number(), enabled: z.boolean(), response_template: z.string() }),
    `select version, enabled, response_template from outrider.bot_rules
     where workspace_id = $1 and rule_id = $2 order by version`,
    [workspaceId, ruleId],
  );

describe('a rule of a document', () => {
  it('is added once, and kept when it is applied again', async () => {
    const changes = await apply(shopRules);
    expect(new Set(changes.map(({ action }) => action))).toEqual(new Set(['keep']));
    expect(await versions('contacts')).toEqual([
      { version: 1, enabled: true, response_template: 'Звоните.' },
    ]);
  });

  it('becomes its next version when a field changes, and that one is enabled', async () => {
    const [change] = (await apply({ contacts: { response_template: 'Пишите.' } })).filter(
      ({ id }) => id === 'contacts',
    );
    expect(change).toMatchObject({
      action: 'change',
      fields: {
        response_template: { from: 'Звоните.', to: 'Пишите.' },
        version: { from: 1, to: 2 },
      },
    });
    expect(await versions('contacts')).toEqual([
      { version: 1, enabled: false, response_template: 'Звоните.' },
      { version: 2, enabled: true, response_template: 'Пишите.' },
    ]);
    const { rows } = await admin.query(
      `select distinct version from outrider.bot_keywords where workspace_id = $1 and rule_id = 'contacts'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ version: 2 }]);
  });

  it('is enabled and disabled without a new version, and a warning says that it stays disabled', async () => {
    await apply({ contacts: { enabled: false } });
    expect(await versions('contacts')).toMatchObject([{ version: 1, enabled: false }]);
    const [kept] = (await apply({ contacts: {} })).filter(({ id }) => id === 'contacts');
    expect(kept?.warnings).toEqual([
      'it is disabled and stays so; write enabled: true to enable it',
    ]);
    await apply({ contacts: { enabled: true } });
    expect(await versions('contacts')).toMatchObject([{ version: 1, enabled: true }]);
  });

  it('that is no longer listed is disabled by a prune, and its versions stay', async () => {
    const { contacts: _, ...rest } = shopRules;
    expect(await apply(rest, true)).toContainEqual(
      expect.objectContaining({
        id: 'contacts',
        action: 'remove',
        note: 'disabled: its versions stay',
      }),
    );
    expect(await versions('contacts')).toMatchObject([{ version: 1, enabled: false }]);
  });

  it.each([
    [{ pattern: { keywords: [] } }, 'pattern has no keywords'],
    [{ pattern: { keywords: ['?!'] } }, 'pattern has the keyword "?!"'],
    [{ pattern: { keywords: ['a'], mode: 'regex' } }, 'pattern.mode must be contains'],
    [{ pattern: { keywords: 'a' } }, 'must be lists of texts'],
    [{ pattern: { words: ['a'] } }, 'pattern may have keywords'],
    [{ pattern: { mode: 'any', keywords: ['a'] } }, 'it can have one of them'],
    [{ pattern: { mode: 'any', validate: 'number' } }, 'needs a retry_template'],
    [{ pattern: { keywords: ['a'] }, collect: 'order' }, 'belong to pattern.mode "any" only'],
    [{ pattern: { mode: 'any', validate: '(a+)+$' }, retry_template: 'b' }, 'no repeated groups'],
    [{ pattern: { mode: 'any', validate: '[' }, retry_template: 'b' }, 'no regular expression'],
    [{ pattern: { mode: 'any', validate: 'name' }, retry_template: 'b' }, 'names no check'],
    [{ pattern: { keywords: ['a'] }, response_template: '{{a' }, 'response_template, character 1'],
    [{ pattern: { keywords: ['a'] }, response_template: ' \n' }, 'response_template shows nothing'],
    [
      { pattern: { mode: 'any', validate: 'number' }, retry_template: '\u200b' },
      'retry_template shows nothing',
    ],
    [
      { pattern: { keywords: ['a'] }, buttons: [[{ text: 'b' }]] },
      'has neither a url nor a payload',
    ],
    [{ pattern: { keywords: ['a'] }, buttons: {} }, 'must be a list of rows of buttons'],
    [
      { pattern: { keywords: ['a'] }, escalate: true, next_state: 'b' },
      'next_state cannot be given',
    ],
    [{ pattern: { keywords: ['a'] }, next_state: 'Order' }, 'small letters'],
    [{ pattern: { keywords: ['a'] }, max_turns: 0 }, 'max_turns must be 1 to 100'],
  ])('%j is refused: %s', async (rule, words) => {
    await expect(apply({ bad: { ...answer, ...rule } })).rejects.toThrow(
      new RegExp(
        `^apply_workspace: bot rule "bad": .*${words.replaceAll(/[.*+?()"[\]]/g, '\\$&')}`,
      ),
    );
  });

  it('never changes in the table, except for being enabled', async () => {
    await expect(
      admin.query(`update outrider.bot_rules set priority = 5 where workspace_id = $1`, [
        workspaceId,
      ]),
    ).rejects.toThrow(/^bot rule "\S+", version 1, cannot be changed$/);
  });
});

describe('a rule that can never match', () => {
  const warningsOf = async (
    bot_rules: object,
    place = database.newWorkspaceId(),
  ): Promise<Record<string, string[]>> => {
    const changes = await applyBot(service, botDocument(place, bot_rules));
    return Object.fromEntries(
      changes
        .filter(({ kind, warnings }) => kind === 'bot_rule' && warnings !== undefined)
        .map(({ id, warnings }) => [id, [...(warnings ?? [])]]),
    );
  };
  const rule = (keywords: string[], more: object = {}, mode = 'contains') => ({
    pattern: { mode, keywords },
    ...answer,
    ...more,
  });
  const shadowed = (id: string) => [
    `it can never match: rule "${id}" matches the same words and comes first`,
  ];

  it.each([
    ['a shorter keyword of higher priority', rule(['достав'], { priority: 1 }), rule(['доставка'])],
    [
      'the same word in any form, of higher priority',
      rule(['доставка'], { priority: 1 }, 'stem'),
      rule(['доставки домой'], {}, 'stem'),
    ],
    ['the same keywords and an earlier id', rule(['доставка']), rule(['доставка'])],
  ])('because of %s is named', async (_, first, second) => {
    expect(await warningsOf({ first, second })).toEqual({ second: shadowed('first') });
  });

  it.each([
    ['another word, too', rule(['достав'], { priority: 1 }), rule(['доставка', 'курьер'])],
    ['a longer keyword, of the same priority', rule(['достав']), rule(['доставка'])],
    [
      'what the other leaves out',
      { ...answer, priority: 1, pattern: { keywords: ['достав'], not: ['дом'] } },
      rule(['доставка']),
    ],
  ])('is not one that has %s', async (_, first, second) => {
    expect(await warningsOf({ first, second })).toEqual({});
  });

  it('because of a rule that is applied later, in a document without it, is named', async () => {
    const place = database.newWorkspaceId();
    const delivery = rule(['доставка']);
    const courier = rule(['курьер'], { priority: 1 });
    expect(await warningsOf({ delivery, courier }, place)).toEqual({});
    const all = rule(['достав'], { priority: 1 });
    expect(await warningsOf({ all }, place)).toEqual({ delivery: shadowed('all') });
  });

  it('because its own "not" stands in all its keywords is named', async () => {
    const own = (not: string[], mode: string) => ({
      pattern: { mode, keywords: ['доставка', 'доставить'], not },
      ...answer,
    });
    const contains = own(['достав'], 'contains');
    const stem = own(['доставка', 'доставить'], 'stem');
    const warning = [
      'it can never match: each of its keywords has a word in it that stands under its "not"',
    ];
    expect(await warningsOf({ contains, stem })).toEqual({ contains: warning, stem: warning });
    const typos = own(['доставка', 'доставить'], 'fuzzy');
    expect(await warningsOf({ some: own(['доставка'], 'contains'), typos })).toEqual({});
  });

  it('is not one that free input which is checked leaves to it', async () => {
    const state = { from_state: 'q', ...answer };
    const lead = rule(['заказ'], { next_state: 'q' });
    const free = { ...state, pattern: { mode: 'any', validate: 'number' }, retry_template: 'b' };
    const person = rule(['оператор'], { from_state: 'q', escalate: true, priority: 1 });
    expect(await warningsOf({ lead, free: { ...free, priority: 10 }, person })).toEqual({});
    const any = { ...state, pattern: { mode: 'any' }, priority: 10 };
    expect(await warningsOf({ lead, any, person })).toEqual({ person: shadowed('any') });
  });

  it('because only rules of its own state lead to it is named', async () => {
    const lost = rule(['a'], { from_state: 'nowhere', next_state: 'nowhere' });
    expect(await warningsOf({ lost })).toEqual({
      lost: ['it can never match: no rule leads from the beginning to the state nowhere'],
    });
  });

  it('because only states that nothing leads to lead to it is named', async () => {
    const there = rule(['a'], { from_state: 'one', next_state: 'two' });
    const back = rule(['a'], { from_state: 'two', next_state: 'one' });
    const warning = 'it can never match: no rule leads from the beginning to the state';
    expect(await warningsOf({ there, back })).toEqual({
      there: [`${warning} one`],
      back: [`${warning} two`],
    });
    const lead = rule(['b'], { next_state: 'one' });
    expect(await warningsOf({ lead, there, back })).toEqual({});
  });

  it('because a rule before it has the payloads of its buttons is named', async () => {
    const pressed = (payloads: string[], priority: number) => ({
      ...answer,
      priority,
      pattern: { payloads },
    });
    expect(await warningsOf({ first: pressed(['a', 'b'], 1), second: pressed(['b'], 0) })).toEqual({
      second: shadowed('first'),
    });
    expect(await warningsOf({ first: pressed(['a'], 1), second: pressed(['a', 'b'], 0) })).toEqual(
      {},
    );
  });

  const many = (rules: number) =>
    Object.fromEntries(
      Array.from({ length: rules }, (_, n) => [
        `r${String(n).padStart(2, '0')}`,
        rule(Array.from({ length: 200 }, (__, k) => `слово${n * 200 + k}`)),
      ]),
    );

  it('is looked for among up to 6,000 keywords, and a warning says where it is not', async () => {
    expect(await warningsOf({ ...many(29), zz: rule(['слово1'], { priority: -1 }) })).toEqual({
      zz: shadowed('r00'),
    });
    expect(await warningsOf({ ...many(30), zz: rule(['слово1'], { priority: -1 }) })).toEqual({
      r00: [
        'whether another rule always comes first was not looked for: the rules have more than 6000 keywords',
      ],
    });
  });

  it('is none of 10,001 keywords: these are refused, in a document and with what is there', async () => {
    const words = 'bot_rules: the enabled rules have 10001 keywords, and may have 10000 in all';
    const one = { zz: rule(['a']) };
    await expect(warningsOf({ ...many(50), ...one })).rejects.toThrow(`apply_workspace: ${words}`);
    await apply({ ...many(49), aa: { enabled: false, ...rule(['b']) } });
    await apply({ zy: rule(Array.from({ length: 195 }, (_, k) => `буква${k}`)) });
    await expect(apply(one)).rejects.toThrow(/the enabled rules have \d+ keywords/);
    const input = { kind: 'message' as const, text: 'a' };
    const document = { bot_rules: { ...many(50), ...one } };
    await expect(decideBotTurn(service, { workspaceId, input, document })).rejects.toThrow(words);
  });

  it('because nothing leads to its state is named', async () => {
    expect(await warningsOf({ lost: rule(['a'], { from_state: 'nowhere' }) })).toEqual({
      lost: ['it can never match: no rule leads from the beginning to the state nowhere'],
    });
  });

  it('is told from one that leads to a state without rules', async () => {
    const lead = rule(['a'], { next_state: 'daet' });
    const date = rule(['b'], { from_state: 'date' });
    const other = rule(['c'], { next_state: 'date' });
    expect(await warningsOf({ lead, date, other })).toEqual({
      lead: ['it leads to the state daet, and no rule answers there'],
    });
  });

  it('is told from one with buttons that no rule matches', async () => {
    const buttons = ['go', 'stop', '7', 'seven', 'word'].map((payload) => [
      { text: payload, payload },
    ]);
    const lead = rule(['a'], { next_state: 'q', buttons });
    const number = {
      ...answer,
      from_state: 'q',
      pattern: { mode: 'any', validate: 'number' },
      retry_template: 'b',
    };
    const go = { ...answer, from_state: 'r', pattern: { payloads: ['go'] } };
    const there = rule(['b'], { next_state: 'r' });
    const words = rule(['word']);
    expect(await warningsOf({ lead, number, go, there, words })).toEqual({
      lead: ['no rule matches what its buttons send: seven, stop'],
    });
  });

  it('is none of the rules of a whole shop', async () => {
    expect(await warningsOf(shopRules)).toEqual({});
  });
});

describe('a template of a rule', () => {
  it('is warned of when it names what no rule collects', async () => {
    const [change] = await apply({
      lost: {
        pattern: { mode: 'any', validate: 'number' },
        from_state: 'order',
        response_template: '{{name}} {{text}} {{order}} {{#phone}}{{phone}}{{/phone}}',
        retry_template: '{{ sum }}?',
      },
    }).then((all) => all.filter(({ id }) => id === 'lost'));
    expect(change?.warnings).toEqual([
      'no rule collects {{phone}}, {{sum}}, so nothing is shown for it',
    ]);
  });
});

describe('a rule that hands chats over', () => {
  const person = (id: string) => ({
    [id]: { pattern: { keywords: [id] }, escalate: true, ...answer },
  });
  const warningsWith = async (alert_targets: object): Promise<unknown[]> => {
    const document = botDocument(database.newWorkspaceId(), {
      ...person('operator'),
      ...person('manager'),
    });
    const changes = await applyBot(service, { ...document, alert_targets });
    return changes.flatMap(({ kind, id, warnings = [] }) =>
      kind === 'bot_rule' ? warnings.map((words) => [id, words]) : [],
    );
  };

  it('is warned of, once, when no alert target is told of it', async () => {
    const words = expect.stringContaining('the workspace has no alert target that is told of it');
    expect(await warningsWith({})).toEqual([['manager', words]]);
    expect(await warningsWith({ log: { kind: 'log', enabled: false } })).toEqual([
      ['manager', words],
    ]);
    expect(await warningsWith({ log: { kind: 'log', min_severity: 'critical' } })).toEqual([
      ['manager', words],
    ]);
    expect(await warningsWith({ log: { kind: 'log' } })).toEqual([]);
  });
});

describe('the endpoint of a bot', () => {
  it('keeps its credential and its rate group from being pruned', async () => {
    const changes = await applyBot(
      service,
      { workspace: workspaceId, credentials: {}, rate_groups: {} },
      true,
    );
    expect(changes).toContainEqual(
      expect.objectContaining({
        kind: 'credential',
        action: 'keep',
        note: 'not in the document; endpoint "bot" names it',
      }),
    );
    expect(changes).toContainEqual(
      expect.objectContaining({
        kind: 'rate_group',
        note: 'back to the limit of its platform: endpoint "bot" is in it',
      }),
    );
  });

  it('is warned of when its credential is not configured', async () => {
    const [change] = await applyBot(service, {
      workspace: workspaceId,
      endpoints: { bot: { auth_ref: 'gone' } },
    }).then((all) => all.filter(({ kind }) => kind === 'endpoint'));
    expect(change?.warnings).toEqual([
      'no credential "gone" is configured, so nothing can be answered',
    ]);
  });

  describe('beside another one', () => {
    const endpoint = (auth_ref: string, more: object = {}) => ({
      kind: 'bot_webhook',
      secret_hash: hashOfSecret(`${workspaceId} ${auth_ref} ${JSON.stringify(more)}`),
      auth_ref,
      ...more,
    });
    const credential = (platform: string) => ({ platform, secret_ref: 'env:TOKEN' });
    const applied = (document: object) =>
      applyBot(service, { workspace: workspaceId, ...document });

    it('answers on another platform, or with the same credential', async () => {
      const changes = await applied({
        endpoints: { again: endpoint('bot'), telegram: endpoint('tg') },
        credentials: { tg: credential('telegram') },
      });
      const added = changes.filter(({ action }) => action === 'add').map(({ id }) => id);
      expect(added.toSorted()).toEqual(['again', 'telegram', 'tg']);
    });

    it('is refused when it would be a second bot on a platform', async () => {
      await expect(
        applied({ endpoints: { two: endpoint('two') }, credentials: { two: credential('max') } }),
      ).rejects.toThrow(
        'apply_workspace: credential "two": endpoint "bot" answers on MAX with the credential "bot", and endpoint "two" with "two"; a second bot on MAX needs a workspace of its own',
      );
    });

    it('is refused when its credential was there before, or becomes one of that platform', async () => {
      await applied({ credentials: { two: credential('max'), tg: credential('telegram') } });
      await expect(applied({ endpoints: { two: endpoint('two') } })).rejects.toThrow(
        /^apply_workspace: endpoint "two": .*a second bot on MAX needs a workspace of its own$/,
      );
      await applied({ endpoints: { two: endpoint('tg') } });
      await expect(applied({ credentials: { tg: credential('max') } })).rejects.toThrow(
        /^apply_workspace: credential "tg": .*a second bot on MAX needs a workspace of its own$/,
      );
    });

    it('takes its place when that one is disabled, or both change to one credential', async () => {
      await applied({
        endpoints: { a: endpoint('two'), bot: { enabled: false } },
        credentials: { two: credential('max') },
      });
      await applied({ endpoints: { bot: { auth_ref: 'two', enabled: true } } });
      await applied({ endpoints: { a: { auth_ref: 'bot' }, bot: { auth_ref: 'bot' } } });
      const { rows } = await admin.query(
        `select endpoint_id, auth_ref, enabled from outrider.workspace_endpoints
         where workspace_id = $1 order by endpoint_id`,
        [workspaceId],
      );
      expect(rows).toEqual([
        { endpoint_id: 'a', auth_ref: 'bot', enabled: true },
        { endpoint_id: 'bot', auth_ref: 'bot', enabled: true },
      ]);
    });
  });

  it('is the only kind of endpoint that has one', async () => {
    const push = { kind: 'webhook_push', secret_hash: 'a'.repeat(64), auth_ref: 'bot' };
    await expect(
      applyBot(service, { workspace: workspaceId, endpoints: { push } }),
    ).rejects.toThrow('auth_ref belongs to kind bot_webhook only');
  });
});
