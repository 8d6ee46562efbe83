import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import {
  apply,
  type Configuration,
  changeOf,
  fullDocument,
  hashOf,
  recorded,
  told,
  valueOf,
} from '../support/database/configuration.ts';
import { addDelivery, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { admin, service } = database;
let workspace: string;

beforeEach(async () => {
  workspace = database.newWorkspaceId();
  await apply(service, fullDocument(workspace));
});

function change(document: Omit<Configuration, 'workspace'>) {
  return apply(service, { workspace, ...document }, { now: after(60) });
}

const operator = { operator: 'outrider_test_service', reason: 'apply', manual: true };

describe('a changed channel', () => {
  it('keeps what the document leaves out', async () => {
    const changes = await change({ channels: { news: { tags: ['news', 'city'], title: null } } });
    expect(changeOf(changes, 'channel', 'news').fields).toEqual({
      tags: { from: ['news'], to: ['news', 'city'] },
      title: { from: 'News', to: null },
    });
    expect(await valueOf(admin, 'channels', workspace, 'news', 'template_ref')).toBe('card');
  });

  it('keeps its pauses, cooldown and error streak; a new rate restarts its pace', async () => {
    const columns = 'paused_until, cooldown_until, closed_until, error_streak';
    await admin.query(
      `update outrider.channels set (${columns}) = ($2, $2, $2, 2) where workspace_id = $1`,
      [workspace, after(500)],
    );
    await admin.query(
      `update outrider.channel_pace set next_allowed_at = $2 where workspace_id = $1`,
      [workspace, after(500)],
    );
    await change({ channels: { news: { rate_rps: 3, enabled: false, title: 'Other' } } });
    const kept = await queryRow(
      admin,
      z.looseObject({}),
      `select next_allowed_at, ${columns}
       from outrider.channels join outrider.channel_pace using (workspace_id, channel_id)
       where workspace_id = $1 and channel_id = 'news'`,
      [workspace],
    );
    const time = '2026-03-02 10:08:20+00';
    expect(Object.values(kept)).toEqual(['2026-03-02 10:01:00+00', time, time, time, 2]);
  });

  it('is enabled and disabled with an event, and without one when nothing changes', async () => {
    await admin.query(`update outrider.channels set enabled = false where workspace_id = $1`, [
      workspace,
    ]);
    await change({ channels: { news: { enabled: true }, night: { enabled: false } } });
    await apply(
      service,
      { workspace, channels: { news: { enabled: false } } },
      { now: after(120) },
    );
    expect(await recorded(admin, workspace)).toEqual([
      { action: 'channel_enabled', channel_id: 'news', meta: operator },
      { action: 'channel_disabled', channel_id: 'news', meta: operator },
    ]);
  });

  it('stays disabled when the document does not say otherwise, and a warning says so', async () => {
    await admin.query(`update outrider.channels set enabled = false where workspace_id = $1`, [
      workspace,
    ]);
    const changes = await change({ channels: { news: {}, night: { enabled: false } } });
    expect(changeOf(changes, 'channel', 'news').warnings).toEqual([
      'it is disabled and stays so; write enabled: true to enable it',
    ]);
    expect(changeOf(changes, 'channel', 'night').warnings).toBeUndefined();
  });

  it('moves to another target with an event', async () => {
    await change({ channels: { news: { target_id: '-1009' } } });
    expect(await recorded(admin, workspace)).toEqual([
      {
        action: 'channel_moved',
        channel_id: 'news',
        meta: { ...operator, from_target: '-1001', to_target: '-1009' },
      },
    ]);
  });

  it('moves to the rate group of its new credential, unless it was in another group', async () => {
    const changes = await change({
      channels: { news: { auth_ref: 'other' }, night: { auth_ref: 'other' } },
    });
    expect(changeOf(changes, 'channel', 'news').fields).toEqual({
      auth_ref: { from: 'telegram-bot', to: 'other' },
      rate_group: { from: 'telegram-bot', to: 'other' },
    });
    expect(Object.keys(changeOf(changes, 'channel', 'night').fields)).toEqual(['auth_ref']);
    expect((await recorded(admin, workspace)).map((each) => [each.action, each.meta])).toEqual(
      ['news', 'night'].map(() => [
        'auth_rotated',
        { ...operator, old_auth_ref: 'telegram-bot', new_auth_ref: 'other' },
      ]),
    );
  });

  it('goes back from the credential of channel_auth to the one that the document names', async () => {
    await admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       values ($1, 'news', 'rotated', $2, $2)`,
      [workspace, after(1)],
    );
    const changes = await change({ channels: { news: { auth_ref: 'telegram-bot' } } });
    expect(changeOf(changes, 'channel', 'news').fields['auth_ref']).toEqual({
      from: 'rotated',
      to: 'telegram-bot',
    });
    const row = await queryRow(
      admin,
      z.looseObject({}),
      `select auth_ref, rotated_at from outrider.channel_auth where workspace_id = $1`,
      [workspace],
    );
    expect(row).toEqual({ auth_ref: 'telegram-bot', rotated_at: '2026-03-02 10:01:00+00' });
  });

  it('does not change its platform once it has deliveries', async () => {
    const channels = { news: { platform: 'max', auth_ref: 'max-bot' } };
    expect(told(await change({ channels }))).toContain('~ channel news');
    await change({ channels: { news: { platform: 'telegram' } } });
    await addDelivery(admin, workspace, 'news');
    await expect(change({ channels })).rejects.toMatchObject({
      sqlstate: 'OR001',
      message:
        'apply_workspace: channel "news": platform cannot change from telegram, because it has deliveries',
    });
  });

  it('brings a warning when its credential is not configured', async () => {
    const changes = await change({ channels: { news: { auth_ref: 'nobody' }, wall: {} } });
    expect(changeOf(changes, 'channel', 'news').warnings).toEqual([
      'no credential "nobody" is configured, so posts to it will fail',
    ]);
    expect(changeOf(changes, 'channel', 'wall').warnings).toBeUndefined();
  });

  it('does not take a credential of another platform', async () => {
    const message =
      'apply_workspace: channel "night": auth_ref "vk-community" is a credential of vk, not of telegram';
    const refused = { sqlstate: 'OR001', message };
    const setCredential = (auth_ref: string) => change({ channels: { night: { auth_ref } } });
    await expect(setCredential('vk-community')).rejects.toMatchObject(refused);
    await admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       values ($1, 'night', 'vk-community', $2, $2)`,
      [workspace, after(1)],
    );
    await expect(change({ channels: { night: {} } })).rejects.toMatchObject(refused);
    expect(told(await setCredential('telegram-bot'))).toContain('~ channel night');
  });

  it('keeps its credential from moving to another platform, unless it moves along', async () => {
    const credentials = { 'vk-community': { platform: 'max' } };
    await expect(change({ credentials })).rejects.toMatchObject({
      sqlstate: 'OR001',
      message:
        'apply_workspace: credential "vk-community": platform cannot be max, because channel "wall" posts with it',
    });
    const channels = { wall: { platform: 'max' } };
    expect(told(await change({ credentials, channels }))).toContain('~ credential vk-community');
  });
});

describe('one apply', () => {
  it('exchanges the targets of channels', async () => {
    const channels = {
      news: { target_id: '-1002' },
      night: { target_id: '-1003' },
      third: { platform: 'telegram', target_id: '-1001', auth_ref: 'telegram-bot' },
    };
    expect(told(await change({ channels })).filter((each) => !each.startsWith('='))).toEqual([
      '~ channel news',
      '~ channel night',
      '+ channel third',
    ]);
    await change({ channels: { news: { target_id: '-1003' }, night: { target_id: '-1002' } } });
    expect(await valueOf(admin, 'channels', workspace, 'news', 'target_id')).toBe('-1003');
    expect(await valueOf(admin, 'channels', workspace, 'night', 'target_id')).toBe('-1002');
  });

  it('gives a new channel the target of one that moves to another platform', async () => {
    const channels = {
      news: { platform: 'max', target_id: '-1001', auth_ref: 'max-bot' },
      city: { platform: 'telegram', target_id: '-1001', auth_ref: 'telegram-bot' },
    };
    await change({ channels });
    expect(await valueOf(admin, 'channels', workspace, 'news', 'target_id')).toBe('-1001');
    expect(told(await change({ channels })).filter((each) => !each.startsWith('='))).toEqual([]);
  });

  it('exchanges the secrets of endpoints', async () => {
    const endpoints = {
      push: { secret_hash: hashOf(`${workspace} second`) },
      second: { kind: 'webhook_push', secret_hash: hashOf(`${workspace} push`) },
    };
    expect(told(await change({ endpoints })).filter((each) => !each.startsWith('='))).toEqual([
      '~ endpoint push',
      '+ endpoint second',
    ]);
    const [push, second] = [endpoints.second.secret_hash, endpoints.push.secret_hash];
    await change({ endpoints: { push: { secret_hash: push }, second: { secret_hash: second } } });
    expect(await valueOf(admin, 'workspace_endpoints', workspace, 'push', 'secret_hash')).toBe(
      push,
    );
  });
});
