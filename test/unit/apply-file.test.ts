import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentSchema } from '../../src/cli/apply/document.ts';
import { examineConfiguration, readConfiguration } from '../../src/cli/apply/read-configuration.ts';
import { InvalidInputError } from '../../src/errors.ts';

const root = path.join(import.meta.dirname, '../..');

function read(text: string, secrets: Record<string, string> = {}) {
  return readConfiguration('city.yaml', text, secrets);
}

async function refusalOf(text: string): Promise<InvalidInputError> {
  const error: unknown = await read(text).catch((raised: unknown) => raised);
  if (error instanceof InvalidInputError) return error;
  throw new Error(`accepted: ${JSON.stringify(error)}`);
}

const channel = (line: string): string => `workspace: city\nchannels:\n  news:\n    ${line}\n`;

const api = (keys: string): string =>
  `workspace: city\npull_sources:\n  board: { kind: api, config: { url: "https://example.org/", ${keys} } }\n`;

/** The text of a file, and what is said of it. */
const mistakes: Readonly<Record<string, readonly [string, string]>> = {
  'nothing at all': ['', 'city.yaml holds no document'],
  'comments only': ['# soon\n', 'city.yaml holds no document'],
  'a list': ['- a\n', 'line 1, column 1: a document must be a mapping\n    1 | - a'],
  'a text': ['hello', 'line 1, column 1: a document must be a mapping, not "hello"'],
  'a tab as indentation': [
    'workspace: city\nchannels:\n\tnews: {}\n',
    'city.yaml, line 3, column 1: a tab cannot indent YAML; use spaces\n    3 | →news: {}',
  ],
  'a quote that is not closed': [
    'workspace: city\nname: "City\n',
    'line 3, column 1: missing closing "quote',
  ],
  'a key that stands twice': [
    'workspace: city\nname: a\nname: b\n',
    'line 3, column 1: this key stands twice in the same mapping\n    3 | name: b',
  ],
  'an alias of nothing': [
    'workspace: city\nchannels: *all\n',
    'line 2, column 11: *all names an anchor that does not stand before it',
  ],
  'an unknown tag': ['workspace: !env CITY\n', 'line 1, column 12: unresolved tag: !env'],
  'no workspace': ['name: City\n', 'line 1, column 1: workspace is missing'],
  'a workspace that is a number': [
    'workspace: 5\n',
    'line 1, column 12: workspace must be a text, not 5',
  ],
  'a misspelt section': [
    'workspace: city\nchanels: {}\n',
    'line 2, column 1: a document has no key "chanels"; did you mean "channels"?\n    2 | chanels: {}',
  ],
  'a misspelt field': [
    channel('rate_rsp: 2'),
    'line 4, column 5: channels.news has no key "rate_rsp"; did you mean "rate_rps"?\n    4 |     rate_rsp: 2',
  ],
  'a field of nothing': [
    'workspace: city\ncredentials:\n  bot: { colour: red }\n',
    'line 3, column 10: credentials.bot has no key "colour"; it may have platform, secret_ref',
  ],
  'a misspelt rule of a filter': [
    channel('route_filter: { include_al: [a] }'),
    'channels.news.route_filter has no key "include_al"; did you mean "include_all"?',
  ],
  'a misspelt setting': [
    'workspace: city\nsettings:\n  max_atempts: 3\n',
    'line 3, column 3: settings has no key "max_atempts"; did you mean "max_attempts"?',
  ],
  'a misspelt setting of a channel': [
    channel('settings: { parse_mod: HTML }'),
    'line 4, column 17: channels.news.settings has no key "parse_mod"; did you mean "parse_mode"?',
  ],
  'a source of no kind': [
    'workspace: city\npull_sources:\n  feed: { kind: vk_wal }\n',
    'vk_wall, not "vk_wal"; did you mean vk_wall?',
  ],
  'a misspelt key of a source': [
    'workspace: city\npull_sources:\n  pets: { kind: vk_wall, config: { owner: [-1], owners: [-1], auth_ref: vk } }\n',
    'line 3, column 36: pull_sources.pets.config.owner is no key of vk_wall; did you mean "owners"?',
  ],
  'a wrong value in a source': [
    'workspace: city\npull_sources:\n  pets: { kind: vk_wall, config: { owners: all, auth_ref: vk, limit: 0 } }\n',
    'pull_sources.pets.config.owners must be a list, not "all"',
  ],
  'a field of a source with a name that no field may have': [
    api('map: { item_ref: id, fields: { City: town } }'),
    'pull_sources.board.config.map.fields.City cannot be the name of a field: it has small letters, digits and _',
  ],
  'a field of a source that has the name of a part of the post': [
    'workspace: city\npull_sources:\n  ads: { kind: db, config: { secret_ref: "env:ADS", query: select 1 as id, key: [id], map: { fields: { url: page } } } }\n',
    'pull_sources.ads.config.map.fields.url cannot be the name of a field',
  ],
  'the media of a source in another form': [
    api('map: { item_ref: id, media: { url: photo } }'),
    'pull_sources.board.config.map.media must be a path or a list of paths',
  ],
  'the secret of a source in another form': [
    api('map: { item_ref: id }, auth: { bearer: "env:TOKEN" }'),
    'pull_sources.board.config.auth must be {bearer_ref}, {header, ref} or {query, ref}, each with env:NAME or file:PATH',
  ],
  'a header of a source with a name that no header has': [
    api('map: { item_ref: id }, headers: { "X Key": a }'),
    'pull_sources.board.config.headers.X Key must be the name of a header',
  ],
  'a source that is read with a credential, and names none': [
    'workspace: city\npull_sources:\n  pets: { kind: vk_wall, config: { owners: [-1] } }\n',
    'pull_sources.pets.config.auth_ref is missing',
  ],
  'the config of a source of which the kind is not said': [
    'workspace: city\npull_sources:\n  pets: { config: { owners: [-1] } }\n',
    'pull_sources.pets.kind is missing',
  ],
  'a misspelt word': [
    channel('send_mode: mixd'),
    'line 4, column 16: channels.news.send_mode must be one of text, media, mixed, not "mixd"; did you mean mixed?',
  ],
  'a word of nothing': [
    'workspace: city\nstatus: asleep\n',
    'line 2, column 9: status must be one of active, paused, disabled, not "asleep"\n',
  ],
  'a word for a number': [
    channel('rate_rps: fast'),
    'line 4, column 15: channels.news.rate_rps must be a number, not "fast"',
  ],
  'a number for a word': [channel('title: 7'), 'channels.news.title must be a text, not 7'],
  'a text for a list': [channel('tags: news'), 'channels.news.tags must be a list, not "news"'],
  'yes for true': [
    channel('enabled: yes'),
    'channels.news.enabled must be true or false, not "yes"',
  ],
  'a fraction': [channel('max_parallel: 1.5'), 'channels.news.max_parallel must be a whole number'],
  'too little': [
    channel('max_parallel: 0'),
    'channels.news.max_parallel must be at least 1, not 0',
  ],
  'too much': [channel('max_parallel: 99999'), 'must be at most 10000, not 99999'],
  'an empty name': ['workspace: city\nname: ""\n', 'name must have at least 1 characters'],
  'an id too long for a number': [
    channel('target_id: -10012345678901234567'),
    'channels.news.target_id must be a text; put the id in quotes',
  ],
  'a weekday of nothing': [
    channel('posting_window: { monday: [] }'),
    'channels.news.posting_window has no key "monday"; it may have mon, tue, wed, thu, fri, sat, sun',
  ],
  'a time of nothing': [
    channel('posting_window: { mon: [[9:00, 18:00]] }'),
    'channels.news.posting_window.mon.0.0 must be a time such as "09:00", in quotes',
  ],
  'a number for a span of time': [
    'workspace: city\nsettings:\n  sending_lease: 30\n',
    'line 3, column 18: settings.sending_lease must be a span of time such as "30 seconds"',
  ],
  'an empty section': [
    'workspace: city\nchannels:\n',
    'line 2, column 1: channels is empty; give it a value, {} for nothing, or leave it out',
  ],
  'an empty channel': [
    'workspace: city\nchannels:\n  news:\n',
    'line 3, column 3: channels.news is empty',
  ],
  'an id with a line end': [
    'workspace: city\nchannels:\n  "a\\nb": {}\n',
    'an id has 1 to 128 characters and no line ends',
  ],
  'two secrets of one endpoint': [
    `workspace: city\nendpoints:\n  push: { secret_ref: env:A, secret_hash: ${'a'.repeat(64)} }\n`,
    'has both secret_ref and secret_hash; give one of them',
  ],
  'two documents of one workspace': [
    'workspace: city\n---\nworkspace: city\n',
    'line 3, column 12: workspace city has a document above; put the two into one',
  ],
  'a secret that is not set': [
    'workspace: city\nendpoints:\n  push:\n    secret_ref: env:CITY_SECRET\n',
    'line 4, column 17: endpoints.push.secret_ref: environment variable CITY_SECRET is not set',
  ],
  'a secret in a file that is not there': [
    'workspace: city\nendpoints:\n  push: { secret_ref: file:/nowhere/secret }\n',
    'endpoints.push.secret_ref: file /nowhere/secret does not exist',
  ],
};

describe('a file with a mistake', () => {
  it.each(Object.entries(mistakes))('is refused in words: %s', async (_, [text, words]) => {
    const error = await refusalOf(text);
    expect(error.message).toMatch(/^city\.yaml/);
    expect(`${error.message}\n`).toContain(words);
    expect(error.hint).toMatch(/\w/);
  });

  it('is told all of its faults, in the order of their lines', async () => {
    const { message } = await refusalOf(
      'workspace: city\nchannels:\n  news:\n    rate_rps: fast\n    tag: [a]\n---\nworkspace: 7\n',
    );
    expect(message.split('\n').filter((line) => line.includes('column'))).toEqual([
      '  line 4, column 15: channels.news.rate_rps must be a number, not "fast"',
      '  line 5, column 5: channels.news has no key "tag"; did you mean "tags"?',
      '  line 7, column 12: workspace must be a text, not 7',
    ]);
    expect(message).toMatch(/^city\.yaml has 3 faults:\n/);
  });

  it('is not told a hundred of them', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `  c${n}: { rate_rps: fast }\n`);
    const { message } = await refusalOf(`workspace: city\nchannels:\n${lines.join('')}`);
    expect(message).toMatch(/\n {2}and 90 more$/);
  });

  it.each([
    'endpoints:\n  push:\n    secret_ref: hunter2\n',
    'endpoints:\n  push: { secret_hash: hunter2 }\n',
    'endpoints:\n  push: { signing_secret_ref: hunter2 }\n',
    'credentials:\n  bot: { secret_ref: hunter2, colour: 1 }\n',
    'credentials:\n  bot: { secret_ref: [hunter2] }\n',
    'credentials:\n  bot:\n    token: hunter2\n',
    'credentials:\n  bot:\n    password: "hunter2\n',
  ])('does not show what may be a secret: %j', async (text) => {
    const { message, hint } = await refusalOf(`workspace: city\n${text}`);
    expect(`${message} ${hint}`).not.toContain('hunter2');
  });

  it('does not run away with aliases of aliases', async () => {
    const levels = Array.from({ length: 12 }, (_, n) => n + 1);
    const lines = levels.map(
      (n) =>
        `l${n}: &l${n} [${Array(10)
          .fill(`*l${n - 1}`)
          .join(', ')}]`,
    );
    const error = await refusalOf(`l0: &l0 [x]\n${lines.join('\n')}\n`);
    expect(error.message).toMatch(/^city\.yaml/);
  });
});

describe('a file', () => {
  it('holds a document for each workspace', async () => {
    const documents = await read(
      'workspace: city\n---\n# the other\nworkspace: town\nname: Town\n',
    );
    expect(documents.map((each) => each.document)).toEqual([
      { workspace: 'city' },
      { workspace: 'town', name: 'Town' },
    ]);
  });

  it('becomes a document of columns, with hashes in place of secrets', async () => {
    const text = `workspace: city
endpoints:
  push: { kind: webhook_push, secret_ref: env:CITY_SECRET, signing_secret_ref: env:SIGNING }
channels:
  news: &news { platform: telegram, target_id: -1001, auth_ref: bot, title: ~ }
  city: { <<: *news, target_id: "@city" }
`;
    const [city] = await read(text, { CITY_SECRET: 'open sesame' });
    expect(city?.document).toEqual({
      workspace: 'city',
      endpoints: {
        push: {
          kind: 'webhook_push',
          secret_hash: createHash('sha256').update('open sesame').digest('hex'),
          signing_secret_ref: 'env:SIGNING',
        },
      },
      channels: {
        news: { platform: 'telegram', target_id: '-1001', auth_ref: 'bot', title: null },
        city: { platform: 'telegram', target_id: '@city', auth_ref: 'bot', title: null },
      },
    });
  });

  it('has the place of what the database refuses', async () => {
    const file =
      'workspace: city\nrate_groups:\n  vk:\n    wall: { rate_rps: 1 }\ntemplates:\n  card:\n    body: x\n';
    const [city] = await read(file);
    const refused = (message: string) =>
      city?.faultsIn(new InvalidInputError(message, { sqlstate: 'OR001', hint: 'so' }));
    const text = 'rate group "vk/wall": rate_rps must not be negative';
    const [body, line] = ['template "card", version 2, character 1: x', 'something else'];
    expect(refused(`apply_workspace: ${text}\n${body}\n${line}`)).toEqual([
      { offset: file.indexOf('1 }'), message: text, hint: 'so' },
      { offset: file.indexOf('x\n'), message: body, hint: 'so' },
      { offset: 0, message: line, hint: 'so' },
    ]);
    const other = new InvalidInputError('value out of range', { sqlstate: '22003' });
    expect(() => city?.faultsIn(other)).toThrow(other);
  });

  it('is warned of secrets that cannot be read here, though somebody else will', async () => {
    const text = `workspace: city
endpoints:
  push: { kind: webhook_push, secret_hash: ${'a'.repeat(64)}, signing_secret_ref: env:SIGNING }
credentials:
  bot: { platform: telegram, secret_ref: env:TELEGRAM_TOKEN }
  wall: { platform: vk, secret_ref: file:/nowhere/vk }
  max: { platform: max, secret_ref: env:MAX_TOKEN }
`;
    const [city] = await read(text, { MAX_TOKEN: 'here' });
    expect(city?.warnings).toEqual([
      {
        kind: 'credential',
        id: 'bot',
        message:
          'environment variable TELEGRAM_TOKEN is not set here; the process that sends needs it',
      },
      {
        kind: 'credential',
        id: 'wall',
        message: 'file /nowhere/vk does not exist here; the process that sends needs it',
      },
      {
        kind: 'endpoint',
        id: 'push',
        message:
          'environment variable SIGNING is not set here; the process that takes posts in needs it',
      },
    ]);
  });

  it('is warned of signing secrets that are no keys', async () => {
    const text = `workspace: city
endpoints:
  push: { kind: webhook_push, secret_hash: ${'a'.repeat(64)}, signing_secret_ref: env:SIGNING }
alert_targets:
  pager: { kind: webhook, url: 'https://pager.example/hook', secret_ref: env:PAGER }
  sound: { kind: webhook, url: 'https://pager.example/hook', secret_ref: env:SOUND }
`;
    const secrets = { SIGNING: 'whsec_!!', PAGER: 'not base64 !!', SOUND: 'whsec_b3RoZXI=' };
    const [city] = await read(text, secrets);
    expect(city?.warnings).toEqual([
      {
        kind: 'endpoint',
        id: 'push',
        message: 'signing_secret_ref cannot be used: what follows whsec_ must be base64',
      },
      {
        kind: 'alert_target',
        id: 'pager',
        message: expect.stringMatching(/^secret_ref cannot be used: it has blanks: /),
      },
    ]);
  });

  it('that has faults has what is sound of it tried all the same', async () => {
    const text = `workspace: city
colour: red
settings: { max_attempts: many, sending_lease: 30 seconds }
endpoints:
  push: { kind: webhook_push, secret_ref: env:NOWHERE }
rate_groups:
  vk: { wall: { rate_rps: fast }, other: { rate_rps: 1 } }
templates:
  card: { bdoy: x }
channels:
  news: { rate_rsp: 1, tags: [news] }
  pets: { title: Pets }
  town: { platfrom: telegram, title: Town }
  night: { window_mode: windowed, timezone: Europe/Moscow, posting_window: { monday: [] } }
---
workspace: 7
---
workspace: town
`;
    const examined = await examineConfiguration('city.yaml', text, {});
    expect(examined.faults).toHaveLength(9);
    expect(examined.configurations.map((each) => each.document)).toEqual([
      {
        workspace: 'city',
        settings: { sending_lease: '30 seconds' },
        endpoints: {},
        rate_groups: { vk: { wall: {}, other: { rate_rps: 1 } } },
        templates: {},
        channels: {
          news: { tags: ['news'] },
          pets: { title: 'Pets' },
          night: { timezone: 'Europe/Moscow' },
        },
      },
      { workspace: 'town' },
    ]);
    const missing = 'apply_workspace: channel "pets": template_ref: there is no "card"';
    const error = new InvalidInputError(missing, { sqlstate: 'OR001' });
    expect(examined.configurations[0]?.faultsIn(error)).toEqual([]);
  });
});

describe('docs/outrider.schema.json', () => {
  it('is what the program accepts (npm run schema writes it)', () => {
    const text = readFileSync(path.join(root, 'docs/outrider.schema.json'), 'utf8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(documentSchema())));
  });
});
