import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/cli/apply/read-configuration.ts';
import { InvalidInputError } from '../../src/errors.ts';

const head = 'workspace: city\n';

async function documentOf(text: string, environment: Record<string, string> = {}) {
  const [configuration] = await readConfiguration('city.yaml', head + text, environment);
  return configuration?.document;
}

async function refusalOf(text: string, environment: Record<string, string> = {}) {
  const error: unknown = await documentOf(text, environment).catch((raised: unknown) => raised);
  if (error instanceof InvalidInputError) return error;
  throw new Error(`accepted: ${JSON.stringify(error)}`);
}

describe('a value of a configuration file', () => {
  it('comes from the environment, with its type', async () => {
    const text = [
      'name: ${NAME}',
      'channels:',
      '  news:',
      '    enabled: ${ON:-false}',
      '    target_id: ${CHAT}',
      '    rate_rps: ${RATE}',
      '    title: "${RATE}"',
    ].join('\n');
    const environment = { NAME: 'Our town', CHAT: '-1001', RATE: ' 0.5 ' };
    expect(await documentOf(text, environment)).toMatchObject({
      name: 'Our town',
      channels: { news: { enabled: false, target_id: '-1001', rate_rps: 0.5, title: '0.5' } },
    });
  });

  it.each([
    ['is not set', {}],
    ['is empty', { NAME: ' ' }],
  ])('has its default when the variable %s', async (_, environment) => {
    expect(await documentOf('name: ${NAME:-The old town}', environment)).toMatchObject({
      name: 'The old town',
    });
  });

  it.each([
    ['1', true],
    ['T', true],
    ['yes', true],
    ['on', true],
    ['0', false],
    ['f', false],
    ['No', false],
    ['off', false],
  ])('is a boolean when its default is one and the variable says %s', async (word, enabled) => {
    const text = [
      'channels:',
      '  news:',
      '    enabled: ${ON:-true}',
      '    target_id: ${CHAT}',
      '    rate_rps: ${RATE:-3}',
      '    title: ${TITLE:-News}',
    ].join('\n');
    const environment = { ON: word, RATE: '1', TITLE: 'On', ...(enabled ? { CHAT: '@news' } : {}) };
    expect(await documentOf(text, environment)).toMatchObject({
      channels: { news: { enabled, rate_rps: 1, title: 'On' } },
    });
  });

  it('may hold a variable within other words', async () => {
    expect(await documentOf('name: Pets of ${CITY}', { CITY: 'Perm' })).toMatchObject({
      name: 'Pets of Perm',
    });
  });

  it('is not shown where it is wrong and looks like a secret', async () => {
    const token = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
    const { message } = await refusalOf('channels:\n  news:\n    enabled: ${ON}', { ON: token });
    expect(message).toContain('channels.news.enabled must be true or false, not "[token]"');
    expect(message).not.toContain(token);
  });

  it('is a span of time only as the timeout of a channel', async () => {
    const settings = 'settings: { timeout: "${WAIT}", values: { timeout: "${WAIT}" } }';
    const text = `channels:\n  news:\n    ${settings}`;
    expect(await documentOf(text, { WAIT: '1m30s' })).toMatchObject({
      channels: { news: { settings: { timeout: 90, values: { timeout: '1m30s' } } } },
    });
  });

  it.each([
    ['99h', 'must be a span such as 10s or 1m30s, from 1s to 2m'],
    ['0s', 'must be at least 1, not 0'],
    ['5m', 'must be at most 120, not 300'],
  ])('says what the timeout of a channel may be, not %s', async (wait, words) => {
    const text = 'channels:\n  news:\n    settings: { timeout: "${WAIT}" }';
    const { message } = await refusalOf(text, { WAIT: wait });
    expect(message).toContain(`channels.news.settings.timeout ${words}`);
  });

  it('is never read as YAML again', async () => {
    const value = '[a, b] # {c: d}';
    expect(await documentOf('name: ${NAME}', { NAME: value })).toMatchObject({ name: value });
  });

  it('stands for several items of a list, separated by commas', async () => {
    const text = 'channels:\n  news:\n    tags:\n      - pets\n      - ${TAGS}\n';
    expect(await documentOf(text, { TAGS: 'lost, found,' })).toMatchObject({
      channels: { news: { tags: ['pets', 'lost', 'found'] } },
    });
  });

  it('that has only commas stands for no item, and leaves the items after it alone', async () => {
    const text = 'channels:\n  news:\n    tags:\n      - ${A}\n      - ${B}\n      - pets\n';
    expect(await documentOf(text, { A: ' , ', B: 'lost' })).toMatchObject({
      channels: { news: { tags: ['lost', 'pets'] } },
    });
  });

  it.each([
    ['an item', '${OTHER}'],
    ['several items', 'a,${OTHER},b'],
  ])('is not filled in again when it holds a variable itself, as %s', async (_, value) => {
    const text = 'channels:\n  news:\n    tags:\n      - ${A}\n      - ${OTHER}\n';
    expect(await documentOf(text, { A: value, OTHER: 'x' })).toMatchObject({
      channels: { news: { tags: [...value.split(','), 'x'] } },
    });
  });

  it('is not filled in again when it says whether something is enabled', async () => {
    const text = 'channels:\n  tg:\n    enabled: ${ON}\n    target_id: ${CHAT}\n';
    expect((await refusalOf(text, { ON: '${OFF}', OFF: 'false' })).message).toContain(
      'channels.tg.target_id: the environment variable CHAT is not set',
    );
  });

  it.each([
    ['"${X:-a{b}c}"', 'name: a variable cannot hold { or } in its default (after ${X:-a)'],
    ['"${X"', 'name: ${X has no } at its end; write ${NAME} or ${NAME:-default}'],
    ['"$${X} and ${"', 'name: ${ has no } at its end'],
  ])('that begins like a variable and is none is refused: %s', async (value, fault) => {
    expect((await refusalOf(`name: ${value}`, { X: 'x' })).message).toContain(fault);
  });

  it('stays a text when the variable is written with two dollars', async () => {
    expect(await documentOf('name: $${NAME}', { NAME: 'x' })).toMatchObject({ name: '${NAME}' });
  });

  it('that is missing is refused by name and place', async () => {
    const { message, hint } = await refusalOf('name: ok\nstatus: ${STATUS}');
    expect(message).toBe(
      'city.yaml, line 3, column 9: status: the environment variable STATUS is not set\n    3 | status: ${STATUS}',
    );
    expect(hint).toContain('a line in .env will do');
  });

  it('may be missing in something that is not enabled', async () => {
    const text = 'channels:\n  tg:\n    enabled: ${ON:-false}\n    target_id: ${CHAT}\n';
    expect(await documentOf(text)).toMatchObject({ channels: { tg: { target_id: '${CHAT}' } } });
    expect((await refusalOf(text, { ON: 'true' })).message).toContain(
      'channels.tg.target_id: the environment variable CHAT is not set',
    );
  });

  it.each([
    ['rate_rps: ${RATE}', { title: 'T' }],
    ['dedup_ttl_hours: ${HOURS}', { title: 'T' }],
    ['settings: { media_max: "${MOST}", timeout: 5 }', { title: 'T', settings: { timeout: 5 } }],
    ['posting_window:\n      mon:\n        - ["${A}", "18:00"]', { title: 'T' }],
  ])('may be missing there although it cannot stay as it is written: %s', async (line, kept) => {
    const text = `channels:\n  tg:\n    enabled: false\n    title: T\n    ${line}\n`;
    expect((await documentOf(text))?.['channels']).toMatchObject({
      tg: { enabled: false, ...kept },
    });
    expect(JSON.stringify(await documentOf(text))).not.toContain('${');
  });

  it('may be missing in the config of a source that is not enabled', async () => {
    const text = [
      'pull_sources:',
      '  feed:',
      '    kind: rss',
      '    enabled: false',
      '    config:',
      '      url: ${FEED}',
      '      limit: ${LIMIT}',
    ].join('\n');
    expect(await documentOf(text)).toMatchObject({
      pull_sources: { feed: { enabled: false, config: { url: '${FEED}', limit: '${LIMIT}' } } },
    });
    expect((await refusalOf(text.replace('${LIMIT}', 'many'))).message).toContain('limit');
  });

  it('that names no variable is refused with what to write', async () => {
    expect((await refusalOf('name: ${1st}')).message).toContain(
      '${1st} is no variable; write ${NAME} or ${NAME:-default}, or $${1st} for the text itself',
    );
  });

  it('is refused in the body of a template', async () => {
    const { message } = await refusalOf('templates:\n  card:\n    body: "${CITY}"\n', {
      CITY: 'x',
    });
    expect(message).toContain('templates.card.body takes no variables; name a value as {{name}}');
  });

  it('is refused in a secret reference, and never shown', async () => {
    const text = 'credentials:\n  bot:\n    platform: telegram\n    secret_ref: ${TOKEN}\n';
    const { message } = await refusalOf(text, { TOKEN: '123:very-secret' });
    expect(message).toContain('credentials.bot.secret_ref takes no variables; write env:NAME');
    expect(message).not.toContain('very-secret');
  });

  it.each([
    'endpoints:\n  push:\n    signing_secret_ref: ${TOKEN}\n',
    'pull_sources:\n  a:\n    kind: rss\n    config:\n      url: https://a.example\n      auth:\n        bearer_ref: ${TOKEN}\n',
    'pull_sources:\n  a:\n    kind: rss\n    config:\n      url: https://a.example\n      auth:\n        header: x-key\n        ref: ${TOKEN}\n',
  ])('is refused wherever a secret reference stands: %j', async (text) => {
    const { message } = await refusalOf(text, { TOKEN: 'very-secret' });
    expect(message).toMatch(/ref takes no variables; write env:NAME/);
    expect(message).not.toContain('very-secret');
  });

  it('is taken by a reference that names a credential or a template', async () => {
    const text = 'channels:\n  tg:\n    auth_ref: ${BOT}\n    template_ref: ${CARD}\n';
    expect(await documentOf(text, { BOT: 'bot', CARD: 'card' })).toMatchObject({
      channels: { tg: { auth_ref: 'bot', template_ref: 'card' } },
    });
  });

  it('is judged like any other', async () => {
    const { message } = await refusalOf('status: ${STATUS}', { STATUS: 'pausd' });
    expect(message).toContain('did you mean paused?');
  });
});

describe('a secret reference', () => {
  it('may name several variables, of which the first that is set counts', async () => {
    const text = 'endpoints:\n  push: { kind: webhook_push, secret_ref: env:A|B }\n';
    const one = await documentOf(text, { B: 'secret' });
    expect(await documentOf(text, { A: 'secret', B: 'other' })).toEqual(one);
    expect(await documentOf(text, { A: ' ', B: 'secret' })).toEqual(one);
    expect((await refusalOf(text)).message).toContain('environment variable A or B is not set');
  });
});

describe('settings of a channel', () => {
  it('take MarkdownV2 as Telegram names it', async () => {
    const text = 'channels:\n  tg:\n    settings: { parse_mode: MarkdownV2 }\n';
    expect(await documentOf(text)).toMatchObject({
      channels: { tg: { settings: { parse_mode: 'Markdown' } } },
    });
  });
});
