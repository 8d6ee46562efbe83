import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { channels } from '../../src/cli/channels.ts';
import { checksOfChannels } from '../../src/doctor/checks.ts';
import type { Report } from '../../src/doctor/examine.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import {
  addChannel,
  addDelivery,
  addWorkspace,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { foundBy, inWords, lookedAt } from '../support/doctor/doctor-look.ts';
import { type Chat, channel, chats, maxChat, tokens } from '../support/doctor/ill-channels.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { sandboxSecrets, sandboxTokens, urlsOf } from '../support/sandbox/sandbox-channels.ts';
import type { Platform } from '../support/sandbox/three-platforms.ts';

// One workspace with a channel for each thing that can be wrong with one. The doctor looks at it once.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();

const rates: Readonly<Record<Platform, number>> = { telegram: 0.6, max: 1.6, vk: 1 };
const groupRates: Readonly<Record<Platform, number>> = { telegram: 17.5, max: 25, vk: 2.5 };

let report: Report;
let env: Record<string, string>;
let last = 0;

/** Adds a chat as the order says, and a channel that posts to it. */
async function add(workspaceId: string, channelId: string, chat: Chat): Promise<string> {
  const { platform, order = () => [], columns } = chat;
  last += 1;
  const first = { telegram: -1_002_000_000_000, max: -71_000_000_000_000, vk: -300_000_000 };
  const id = first[platform] - last;
  for (const [name, body] of order(id)) sandbox[platform].simulator.control(name, body);
  await addChannel(database.admin, workspaceId, channelId, {
    platform,
    target_id: String(id),
    auth_ref: platform,
    rate_group: platform,
    rate_rps: rates[platform],
    ...columns,
  });
  return String(id);
}

async function bind(
  workspaceId: string,
  authRef: string,
  platform: Platform,
  secretRef: string,
): Promise<void> {
  await database.admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, $2, $3, $4, $5)`,
    [workspaceId, authRef, platform, secretRef, start],
  );
}

async function addBound(workspaceId: string): Promise<void> {
  await addWorkspace(database.admin, workspaceId);
  for (const platform of ['telegram', 'max', 'vk'] as const) {
    await bind(workspaceId, platform, platform, `env:${platform.toUpperCase()}_TOKEN`);
    const group = { platform, rate_group: platform, rate_rps: groupRates[platform] };
    await setGroup(database.admin, workspaceId, group);
  }
}

beforeAll(async () => {
  const { admin } = database;
  const file = path.join(folder, 'token');
  await writeFile(file, `${sandboxTokens.telegram}\n`);
  await chmod(file, 0o644);
  env = {
    DATABASE_URL: database.url,
    OUTRIDER_DATA_DIR: folder,
    REVOKED: tokens.revoked,
    WEAK: tokens.weak,
    COMMUNITY: tokens.community,
    ...sandboxSecrets,
    ...Object.fromEntries(
      Object.entries(urlsOf(sandbox)).map(([name, url]) => [`${name.toUpperCase()}_API_URL`, url]),
    ),
  };
  const { telegram, vk } = sandbox;
  telegram.simulator.control('bots', { token: tokens.revoked });
  telegram.simulator.control('revoke', { token: tokens.revoked });
  vk.simulator.control('tokens', {
    kind: 'user',
    token: tokens.weak,
    user_id: 100,
    scopes: ['photos'],
  });

  await addBound('north');
  await bind('north', 'unset', 'telegram', 'env:NOBODY_SET_THIS');
  await bind('north', 'revoked', 'telegram', 'env:REVOKED');
  await bind('north', 'weak', 'vk', 'env:WEAK');
  await bind('north', 'community', 'vk', 'env:COMMUNITY');
  await bind('north', 'open-file', 'telegram', `file:${file}`);
  for (const [channelId, chat] of Object.entries(chats)) await add('north', channelId, chat);
  await setGroup(admin, 'north', { platform: 'telegram', rate_group: 'second', rate_rps: 40 });
  for (const rateGroup of ['nobody', 'unset', 'revoked']) {
    await setGroup(admin, 'north', { platform: 'telegram', rate_group: rateGroup, rate_rps: 17.5 });
  }
  await setGroup(admin, 'north', { platform: 'vk', rate_group: 'weak', rate_rps: 2.5 });
  await setGroup(admin, 'north', { platform: 'vk', rate_group: 'community', rate_rps: 15 });
  // The same chat under its name, and a template that is not there any more.
  sandbox.telegram.simulator.control('chats', {
    id: -1_002_900_000_001,
    type: 'channel',
    title: 'Named',
    username: 'named_news',
  });
  for (const [channelId, target] of [
    ['tg-id', '-1002900000001'],
    ['tg-name', '@named_news'],
  ] as const) {
    await addChannel(admin, 'north', channelId, {
      target_id: target,
      auth_ref: 'telegram',
      rate_group: 'telegram',
      rate_rps: 0.6,
    });
  }
  await admin.query(`
    set session_replication_role = replica;
    update outrider.channels set template_ref = 'lost' where channel_id = 'tg-well';
    insert into outrider.templates (workspace_id, template_id, version, body, created_at)
    values ('north', 'broken', 1, '{{#title}} is never closed', now());
    set session_replication_role = origin`);
  await addDelivery(admin, 'north', 'tg-disabled');
  report = await lookedAt({ env, checks: checksOfChannels, workspaces: ['north'] });
});

describe('outrider channels doctor', () => {
  it.each([
    ['a chat that is not there', 'channel_chats', /critical: channel tg-gone: .* chat_not_found/],
    ['a bot that was removed', 'channel_chats', /critical: channel tg-kicked: .* kicked/],
    [
      'a bot that is no administrator',
      'channel_chats',
      /critical: channel tg-member: .* no administrator/,
    ],
    [
      'an administrator who may not post',
      'channel_chats',
      /critical: channel tg-mute: .* without the right to post/,
    ],
    [
      'a group that takes no messages of the bot',
      'channel_chats',
      /critical: channel tg-group-mute: .* may not send messages/,
    ],
    [
      'a group that takes no photos of the bot',
      'channel_chats',
      /warning: channel tg-group-bare: .* may not send photos, videos/,
    ],
    [
      'a topic in a chat without topics',
      'channel_chats',
      /critical: channel tg-topic: .* topic 7, and the chat has no topics/,
    ],
    [
      'a chat of MAX that is not there',
      'channel_chats',
      /critical: channel max-gone: .* chat_not_found/,
    ],
    ['a chat of MAX that the bot is not in', 'channel_chats', /critical: channel max-removed: /],
    [
      'a bot of MAX that is no administrator',
      'channel_chats',
      /critical: channel max-member: .* no administrator/,
    ],
    ['a wall that is not there', 'channel_chats', /critical: channel vk-gone: .* chat_not_found/],
    ['a community that was banned', 'channel_chats', /critical: channel vk-banned: .* is banned/],
    [
      'a wall that is closed',
      'channel_chats',
      /critical: channel vk-closed: .* may not post on this wall/,
    ],
    [
      'a wall of others',
      'channel_chats',
      /critical: channel vk-foreign: .* may not post on this wall/,
    ],
    [
      'a wall on which one may post, but not for the community',
      'channel_chats',
      /critical: channel vk-open: .* in the name of the community/,
    ],
    [
      'the token of a community, which posts no photos',
      'channel_chats',
      /warning: channel vk-own: .* text only/,
    ],
    [
      'the token of another community',
      'channel_chats',
      /critical: channel vk-not-own: .* of another community/,
    ],
    [
      'two names of one chat',
      'channel_twins',
      /warning: chat telegram -1002900000001: channels tg-(id|name) .* tg-(id|name) /,
    ],
    [
      'a channel that is too fast',
      'channel_paces',
      /warning: channel tg-fast: its rate_rps is 5, .* about 1 a second/,
    ],
    [
      'a channel without a limit',
      'channel_paces',
      /warning: channel tg-unlimited: it has no limit/,
    ],
    [
      'a group chat that takes fewer messages',
      'channel_paces',
      /info: channel tg-group-busy: .* 20 messages a minute/,
    ],
    [
      'a rate group that is too fast',
      'group_paces',
      /warning: rate group telegram\/second: its rate_rps is 40/,
    ],
    [
      'a credential with two rate groups',
      'group_paces',
      /warning: credential telegram: rate groups .*second/,
    ],
    [
      'one account behind two rate groups',
      'credential_twins',
      /warning: account telegram bot @fleet_bot/,
    ],
    ['a posting window that never opens', 'posting_windows', /critical: channel tg-never: /],
    [
      'a template that is not there',
      'templates',
      /critical: channel tg-well: its template is not there/,
    ],
    [
      'a template that cannot be rendered',
      'templates',
      /critical: template broken@1: .* never closed/,
    ],
    [
      'a channel that a refusal disabled, and posts that wait for it',
      'channel_states',
      /warning: channel tg-disabled: .*kicked; deliveries that wait: 1/,
    ],
    [
      'a channel that a refusal paused, though its chat is well again',
      'channel_states',
      /warning: channel tg-paused: it is paused: not_allowed: the bot was kicked/,
    ],
    [
      'a credential that nothing is bound to',
      'credential_secrets',
      /critical: credential nobody: channels unbound send with it/,
    ],
    [
      'a secret that is not set here',
      'credential_secrets',
      /critical: credential unset: .* NOBODY_SET_THIS is not set/,
    ],
    [
      'a file with a secret that others can read',
      'credential_secrets',
      /warning: credential open-file: .* \(644\)/,
    ],
    [
      'a token that was revoked',
      'credential_tokens',
      /critical: credential revoked: telegram refuses it/,
    ],
    [
      'a token without the right to post',
      'credential_tokens',
      /critical: credential weak: .* the right wall/,
    ],
  ])('finds %s', (_, check, finding) => {
    expect(foundBy(report, check)).toContainEqual(expect.stringMatching(finding));
  });

  it('finds nothing about channels that are well, or that an operator has put aside', () => {
    const about = (id: string) => inWords(report).filter((each) => each.includes(`channel ${id}:`));
    for (const id of ['max-well', 'vk-well', 'tg-put-aside', 'tg-put-off', 'tg-id'])
      expect(about(id)).toEqual([]);
    expect(about('tg-well')).toHaveLength(1);
  });

  it('says what to do about everything, and shows no token', () => {
    for (const { fix } of report.findings) expect(fix).toMatch(/^\S.{5,}/);
    const text = JSON.stringify(report);
    for (const token of [...Object.values(sandboxTokens), ...Object.values(tokens)]) {
      expect(text).not.toContain(token);
    }
  });

  it('posts nothing', () => {
    for (const platform of ['telegram', 'max', 'vk'] as const) {
      for (const { posts } of sandbox[platform].simulator.chats()) expect(posts).toEqual([]);
    }
  });

  it('asks nothing of a group that its platform has asked to wait, and says so', async () => {
    await addBound('waiting');
    const id = await add('waiting', 'tg', {
      platform: 'telegram',
      order: (chat) => [channel(chat)],
    });
    const cooling = { platform: 'telegram', rate_group: 'telegram', rate_rps: 17.5 };
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await setGroup(database.admin, 'waiting', { ...cooling, cooldown_until: until });
    const looked = await lookedAt({ env, checks: checksOfChannels, workspaces: ['waiting'] });
    expect(inWords(looked)).toEqual([
      expect.stringMatching(
        /credential_tokens warning: credential telegram: .* waits until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, as its platform asked/,
      ),
    ]);
    expect(looked.findings.map((each) => each.fix)).toEqual(['nothing: look again later']);
    expect(JSON.stringify(looked)).not.toContain(id);
  });

  it('ends soon when a platform does not answer, and says that nobody could ask', async () => {
    await addBound('dead');
    await add('dead', 'max', { platform: 'max', order: (chat) => [maxChat(chat)] });
    sandbox.faults.add({ kind: 'half_open', platform: 'max' });
    const machine = { patienceMs: 300 };
    const looked = await lookedAt({ env, checks: checksOfChannels, workspaces: ['dead'], machine });
    sandbox.faults.clear();
    expect(inWords(looked)).toEqual([
      expect.stringMatching(/credential_tokens warning: credential max: max could not be asked/),
    ]);
  });

  it('looks at some channels when they are named, and ends with 1 when one is ill', async () => {
    await addBound('south');
    await add('south', 'well', { platform: 'telegram', order: (id) => [channel(id)] });
    await add('south', 'ill', { platform: 'telegram' });
    for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
    const looked = async (...args: string[]) => {
      const terminal = recordingTerminal();
      const code = await channels.run(['doctor', '--workspace', 'south', ...args], terminal);
      return { code, printed: terminal.printed() };
    };
    const well = await looked('well');
    const both = await looked('--json');
    vi.unstubAllEnvs();
    expect(well).toEqual({ code: 0, printed: expect.stringMatching(/^Nothing found\.\n/) });
    expect(both.code).toBe(1);
    expect(JSON.parse(both.printed)).toMatchObject({
      findings: [
        {
          severity: 'critical',
          area: 'channels',
          check: 'channel_chats',
          workspace_id: 'south',
          subject: 'channel ill',
          fix: expect.stringContaining('target_id'),
        },
      ],
      looked_at: { workspaces: 1, channels: 2 },
    });
  });
});
