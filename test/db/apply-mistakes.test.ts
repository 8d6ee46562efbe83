import { beforeAll, describe, expect, it } from 'vitest';
import { applyWorkspace } from '../../src/db/apply.ts';
import { OutriderError } from '../../src/errors.ts';
import { checksums } from '../support/database/catalogue.ts';
import { apply, fullDocument, hashOf } from '../support/database/configuration.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { service } = database;

beforeAll(async () => {
  await apply(service, fullDocument('north'));
  await apply(service, fullDocument('south'));
});

async function refusalOf(document: unknown, prune = true): Promise<OutriderError> {
  const before = await checksums(database.admin);
  const error: unknown = await applyWorkspace(service, {
    document,
    prune,
    dryRun: false,
  }).catch((raised: unknown) => raised);
  expect(await checksums(database.admin)).toEqual(before);
  if (error instanceof OutriderError) return error;
  throw new Error(`accepted: ${JSON.stringify(error)}`);
}

const channel = (fields: object) => ({ channels: { news: fields } });
const added = (fields: object) => ({
  channels: { fresh: { platform: 'telegram', target_id: '-5', auth_ref: 'b', ...fields } },
});

const window = (posting_window: unknown) => channel({ posting_window });

/** What a document says besides its workspace, and the sentence that refuses it. */
const mistakes: Readonly<Record<string, readonly [object, string]>> = {
  'an unknown key': [
    { chanels: {} },
    'document has no key "chanels"; it may have workspace, name, status, settings, endpoints, credentials, rate_groups, templates, channels, pull_sources',
  ],
  'a section that is a list': [{ channels: [] }, 'channels must be a mapping'],
  'a channel that is a list': [
    { channels: { news: [] } },
    'channel "news": must be a mapping of fields',
  ],
  'rate groups without their platform': [
    { rate_groups: { 'telegram-bot': 30 } },
    'rate_groups."telegram-bot" must be a mapping of rate groups',
  ],
  'an empty id': [
    { credentials: { '': {} } },
    'credential "": its id must have 1 to 128 characters and no line ends',
  ],
  'an id with a line end': [
    { pull_sources: { 'a\nb': {} } },
    'pull source "a\\nb": its id must have 1 to 128 characters and no line ends',
  ],
  'an unknown field': [
    { credentials: { 'telegram-bot': { token: 'x' } } },
    'credential "telegram-bot": has no field "token"; it may have platform, secret_ref',
  ],
  'a column that is not configuration': [
    channel({ error_streak: 0 }),
    'channel "news": has no field "error_streak"; it may have platform, target_id, auth_ref, rate_group, enabled, title, send_mode, rate_rps, max_parallel, timezone, window_mode, posting_window, dedup_ttl_hours, settings, tags, route_filter, template_ref',
  ],
  'the key of another workspace': [
    { settings: { workspace_id: 'south' } },
    'settings "north": has no field "workspace_id"; it may have max_attempts',
  ],
  'a secret where its hash belongs': [
    { endpoints: { push: { secret_hash: 'hunter2' } } },
    'endpoint "push": secret_hash must be a SHA-256 in 64 lower-case hex digits',
  ],
  'a secret that is a number': [
    { credentials: { 'telegram-bot': { secret_ref: 12345678 } } },
    'credential "telegram-bot": secret_ref must be a text',
  ],
  'a token where its reference belongs': [
    { credentials: { 'telegram-bot': { secret_ref: '123:abc' } } },
    'credential "telegram-bot": secret_ref must be env:NAME or file:PATH',
  ],
  'a signing secret where its reference belongs': [
    { endpoints: { push: { signing_secret_ref: 'whsec_1' } } },
    'endpoint "push": signing_secret_ref must be env:NAME or file:PATH',
  ],
  'an endpoint without a secret': [
    { endpoints: { push: {}, second: { kind: 'webhook_push' } } },
    'endpoint "second": a secret is missing; give secret_ref or secret_hash',
  ],
  'an endpoint without a kind': [
    { endpoints: { second: { secret_hash: hashOf('second') } } },
    'endpoint "second": kind is missing',
  ],
  'the secret of another workspace': [
    { endpoints: { push: { secret_hash: hashOf('south push') } } },
    'endpoint "push": its secret opens another endpoint already; give each its own',
  ],
  'a word that is no kind': [
    { endpoints: { push: { kind: 'webhook' } } },
    'endpoint "push": kind must be one of webhook_push, bot_webhook, not "webhook"',
  ],
  'a status that there is not': [
    { status: 'sleeping' },
    'workspace "north": status must be one of active, paused, disabled, not "sleeping"',
  ],
  'an empty name': [{ name: '' }, 'workspace "north": name must have 1 to 200 characters'],
  'a field that may not be empty': [
    channel({ platform: null }),
    'channel "news": platform cannot be empty; leave it out to keep what is there',
  ],
  'an unknown platform': [
    channel({ platform: 'telegramm' }),
    'channel "news": platform "telegramm" is not known; there are max, telegram, vk',
  ],
  'a rate group of an unknown platform': [
    { rate_groups: { icq: { bot: { rate_rps: 1 } } } },
    'rate group "icq/bot": platform "icq" is not known; there are max, telegram, vk',
  ],
  'a number that is a text': [
    channel({ rate_rps: 'fast' }),
    'channel "news": rate_rps must be a number, not "fast"',
  ],
  'a text that is a number': [
    channel({ title: 7 }),
    'channel "news": title must be a text, not "7"',
  ],
  'a fraction of a send': [
    channel({ max_parallel: 1.5 }),
    'channel "news": max_parallel must be a whole number up to 2147483647, not "1.5"',
  ],
  'a number beyond all bounds': [
    channel({ max_parallel: 1e300 }),
    'channel "news": max_parallel must be a whole number up to 2147483647, not "1000000000',
  ],
  'a word for true': [
    channel({ enabled: 'yes' }),
    'channel "news": enabled must be true or false, not "yes"',
  ],
  'a list for a mapping': [
    channel({ settings: [] }),
    'channel "news": settings must be a mapping, not "[]"',
  ],
  'tags that are one text': [
    channel({ tags: 'news' }),
    'channel "news": tags must be a list of texts, not "news"',
  ],
  'a tag that is a number': [
    channel({ tags: ['news', 7] }),
    'channel "news": tags must be a list of texts, not "[\\"news\\", 7]"',
  ],
  'a time that is no time': [
    { settings: { sending_lease: 'soon' } },
    'settings "north": sending_lease must be a span of time such as "30 seconds", not "soon"',
  ],
  'a time without end': [
    { settings: { sending_lease: 'infinity' } },
    'settings "north": sending_lease must be a span of time such as "30 seconds", not "infinity"',
  ],
  'a time beyond the calendar': [
    { settings: { deliveries_retention: '200000 years' } },
    'settings "north": no duration may be longer than 1000 years',
  ],
  'a negative time': [
    { settings: { claimed_lease: '-1 second' } },
    'settings "north": sending_lease and claimed_lease must be longer than 0, and recovery_backoff not negative',
  ],
  'a template that cannot be rendered': [
    { templates: { card: { body: '{{#title}}' } } },
    'template "card", version 2, character 1: {{#title}} is never closed; write {{/title}} where the section ends',
  ],
  'a template without a body': [{ templates: { fresh: {} } }, 'template "fresh": body is missing'],
  'a template that is not there': [
    channel({ template_ref: 'carrd' }),
    'channel "news": template_ref: workspace "north" has no template "carrd"',
  ],
  'a version that is not there': [
    channel({ template_ref: 'card@7' }),
    'channel "news": template_ref: template "card" has no version 7; its newest is 1',
  ],
  'a channel without a target': [
    added({ target_id: undefined }),
    'channel "fresh": target_id is missing',
  ],
  'a channel without a credential’s name': [
    added({ auth_ref: undefined }),
    'channel "fresh": auth_ref is missing',
  ],
  'two channels of one target': [
    { channels: { ...added({}).channels, other: added({}).channels.fresh } },
    'channel "fresh": target_id "-5" on telegram belongs to channel "other"',
  ],
  'a pace that is next to nothing': [
    channel({ rate_rps: 1e-9 }),
    'channel "news": rate_rps must be 0 (no limit) or at least 0.000001',
  ],
  'a window without a zone': [
    channel({ window_mode: 'windowed', posting_window: {} }),
    'channel "news": window_mode "windowed" needs a posting_window and a timezone',
  ],
  'a window of no weekday': [
    window({ monday: [] }),
    'channel "news": posting_window must map weekdays to spans of time, such as mon: [["09:00", "18:00"]]',
  ],
  'a zone that there is not': [
    channel({ timezone: 'Mars/Olympus' }),
    'channel "news": timezone "Mars/Olympus" is not known',
  ],
  'tags in capitals': [channel({ tags: ['News'] }), 'channel "news": tags must be in lower case'],
  'a filter of no kind': [
    channel({ route_filter: { any: [] } }),
    'channel "news": route_filter may have include_any, include_all and exclude, each a list of tags in lower case',
  ],
  'a format that there is not': [
    channel({ settings: { parse_mode: 'BBCode' } }),
    'channel "news": settings.parse_mode must be HTML, Markdown or None',
  ],
  'a pull source of no kind': [
    { pull_sources: { feed: { kind: 'nonsense' } } },
    'pull source "feed": kind must be one of rss, api, db, vk_wall',
  ],
  'a config that is a text': [
    { pull_sources: { feed: { config: 'x' } } },
    'pull source "feed": config must be a mapping, not "x"',
  ],
  'a pull source without a config': [
    { pull_sources: { fresh: { kind: 'rss' } } },
    'pull source "fresh": config is missing',
  ],
};

describe('a document with a mistake', () => {
  it.each(Object.entries(mistakes))('is refused in words: %s', async (_, [document, words]) => {
    const error = await refusalOf({ workspace: 'north', ...document });
    expect([error.code, error.sqlstate]).toEqual(['invalid_input', 'OR001']);
    expect(error.message).toContain(`apply_workspace: ${words}`);
    expect(error.hint).toMatch(/\w/);
  });

  it('is told all of its mistakes at once, those of form and those of meaning', async () => {
    const { message } = await refusalOf({
      workspace: 'north',
      settings: { max_attempts: 'many' },
      endpoints: { push: { kind: 'webhook' }, second: { kind: 'webhook_push' } },
      credentials: { 'vk-community': { secret_ref: 'hunter2' } },
      rate_groups: { icq: { bot: { rate_rps: 1 } }, vk: { 'vk-community': { rate_rps: -1 } } },
      templates: { card: { body: '{{#title}}' } },
      channels: {
        news: { timezone: 'Europe/Moskow' },
        night: { platform: 'telegramm' },
        twin: { platform: 'vk', target_id: '-2001', auth_ref: 'vk-community' },
        wall: { tags: ['News'] },
      },
      pull_sources: { feed: { kind: 'nonsense' } },
    });
    expect(message.split('\n').toSorted()).toEqual([
      'apply_workspace: settings "north": max_attempts must be a whole number up to 2147483647, not "many"',
      'channel "news": timezone "Europe/Moskow" is not known',
      'channel "night": platform "telegramm" is not known; there are max, telegram, vk',
      'channel "twin": target_id "-2001" on vk belongs to channel "wall"',
      'channel "wall": tags must be in lower case',
      'credential "vk-community": secret_ref must be env:NAME or file:PATH',
      'endpoint "push": kind must be one of webhook_push, bot_webhook, not "webhook"',
      'endpoint "second": a secret is missing; give secret_ref or secret_hash',
      'pull source "feed": kind must be one of rss, api, db, vk_wall',
      'rate group "icq/bot": platform "icq" is not known; there are max, telegram, vk',
      'rate group "vk/vk-community": rate_rps must be 0 (no limit) or at least 0.000001',
      'template "card", version 2, character 1: {{#title}} is never closed; write {{/title}} where the section ends',
    ]);
  });

  it('is told all that is wrong with one channel at once: of each field one fault', async () => {
    const { message } = await refusalOf({
      workspace: 'north',
      channels: {
        fresh: {
          platform: 'telegram',
          window_mode: 'windowed',
          timezone: 'Europe/Moskow',
          template_ref: 'carrd',
          rate_rps: -1,
          tags: ['News'],
        },
        news: { window_mode: 'windowed', timezone: 'Mars/Olympus', tags: ['News'] },
        twin: {
          platform: 'vk',
          target_id: '-2001',
          auth_ref: 'vk-community',
          timezone: 'Moskow',
        },
        wall: {},
      },
    });
    expect(
      message
        .replace(/^apply_workspace: /, '')
        .split('\n')
        .toSorted(),
    ).toEqual([
      'channel "fresh": auth_ref is missing',
      'channel "fresh": rate_rps must be 0 (no limit) or at least 0.000001',
      'channel "fresh": tags must be in lower case',
      'channel "fresh": target_id is missing',
      'channel "fresh": template_ref: workspace "north" has no template "carrd"',
      'channel "fresh": timezone "Europe/Moskow" is not known',
      'channel "fresh": window_mode "windowed" needs a posting_window and a timezone',
      'channel "news": tags must be in lower case',
      'channel "news": timezone "Mars/Olympus" is not known',
      'channel "news": window_mode "windowed" needs a posting_window and a timezone',
      'channel "twin": target_id "-2001" on vk belongs to channel "wall"',
      'channel "twin": timezone "Moskow" is not known',
    ]);
  });

  it('is told what to do about the one mistake that it has', async () => {
    const { hint } = await refusalOf({
      workspace: 'north',
      ...channel({
        window_mode: 'windowed',
        posting_window: { mon: [['09:00', '18:00']] },
        timezone: 'Moskow',
      }),
    });
    expect(hint).toBe('Use an IANA name such as Europe/Moscow.');
  });

  it('is not told of a template that is missing because it was refused', async () => {
    const { message } = await refusalOf({
      workspace: 'north',
      templates: { fresh: { body: '{{#title}}' } },
      ...channel({ template_ref: 'fresh' }),
    });
    expect(message).toMatch(/^apply_workspace: template "fresh", version 1, [^\n]+$/);
  });

  it('does not show a secret that stands in the wrong place', async () => {
    for (const document of [
      { endpoints: { push: { secret_hash: 'hunter2' } } },
      { credentials: { 'telegram-bot': { secret_ref: ['hunter2'] } } },
      { credentials: { 'telegram-bot': { secret_ref: 'hunter2' } } },
    ]) {
      const { message, hint } = await refusalOf({ workspace: 'north', ...document });
      expect(`${message} ${hint}`).not.toContain('hunter2');
    }
  });

  it('does not tell whose secret it is that another workspace has', async () => {
    const endpoints = { push: { secret_hash: hashOf('south push') } };
    const { message, hint } = await refusalOf({ workspace: 'north', endpoints });
    expect(`${message} ${hint}`).not.toContain('south');
  });

  it('blames the channel that it lists for the target of one that it does not list', async () => {
    const zoo = { platform: 'telegram', target_id: '-1001', auth_ref: 'telegram-bot' };
    const { message } = await refusalOf({ workspace: 'north', channels: { zoo } }, false);
    expect(message).toBe(
      'apply_workspace: channel "zoo": target_id "-1001" on telegram belongs to channel "news"',
    );
  });

  it('names a workspace that cannot be', async () => {
    expect((await refusalOf({ workspace: 'no where' })).message).toBe(
      'apply_workspace: workspace "no where": its name in the document must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or a digit',
    );
  });

  it('undoes what came before the mistake', async () => {
    const error = await refusalOf({
      ...fullDocument('fresh'),
      channels: { last: { platform: 'telegram', target_id: '-1', auth_ref: 'b', tags: ['A'] } },
    });
    expect(error.message).toContain('channel "last": tags');
  });
});
