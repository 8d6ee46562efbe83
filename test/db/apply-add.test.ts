import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { presetDocument } from '../../src/cli/apply/preset.ts';
import { applyWorkspace } from '../../src/db/apply.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { checksums } from '../support/database/catalogue.ts';
import {
  apply,
  changeOf,
  configuredRows,
  fullDocument,
  recorded,
  told,
  valueOf,
} from '../support/database/configuration.ts';
import { after, start } from '../support/database/seed.ts';
import { openDatabase } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

describe('a first apply', () => {
  it('adds everything that the document lists', async () => {
    const changes = await apply(database.service, fullDocument('first'));
    expect(told(changes)).toEqual([
      '+ workspace first',
      '~ settings first',
      '+ endpoint bot',
      '+ endpoint push',
      '+ pull_source feed',
      '+ credential telegram-bot',
      '+ credential vk-community',
      '+ rate_group telegram/telegram-bot',
      '+ rate_group vk/vk-community',
      '+ template card',
      '+ template plain',
      '+ channel news',
      '+ channel night',
      '+ channel wall',
    ]);
    expect(changeOf(changes, 'channel', 'wall').fields).toEqual({
      platform: { from: null, to: 'vk' },
      target_id: { from: null, to: '-2001' },
      auth_ref: { from: null, to: 'vk-community' },
      rate_group: { from: null, to: 'vk-community' },
      rate_rps: { from: null, to: null },
    });
    expect(await recorded(database.admin, 'first')).toEqual([]);
  });

  it('puts into the rows what the document says, and the defaults where it says nothing', async () => {
    await apply(database.service, fullDocument('filled'));
    const [settings] = await queryRows(
      database.admin,
      z.looseObject({}),
      `select max_attempts, sending_lease, backoff_factor, backoff_base
       from outrider.workspace_settings where workspace_id = 'filled'`,
    );
    expect(settings).toEqual({
      max_attempts: 7,
      sending_lease: '00:00:45',
      backoff_factor: '1.5',
      backoff_base: '00:00:02',
    });
    const rows = await configuredRows(database.admin, 'filled');
    const channel = (id: string) => rows.find(({ row }) => row['channel_id'] === id)?.row;
    expect(channel('news')).toEqual({
      workspace_id: 'filled',
      channel_id: 'news',
      platform: 'telegram',
      target_id: '-1001',
      auth_ref: 'telegram-bot',
      rate_group: 'telegram-bot',
      enabled: true,
      title: 'News',
      send_mode: 'mixed',
      rate_rps: 0.5,
      max_parallel: 2,
      paused_until: null,
      cooldown_until: null,
      timezone: null,
      window_mode: 'immediate',
      posting_window: null,
      closed_until: null,
      dedup_ttl_hours: 168,
      error_streak: 0,
      stopped_because: null,
      settings: { parse_mode: 'HTML' },
      tags: ['news'],
      route_filter: null,
      template_ref: 'card',
    });
    expect(channel('night')).toMatchObject({
      rate_group: 'slow',
      rate_rps: 0.6,
      dedup_ttl_hours: null,
      posting_window: { mon: [['22:00', '02:00']] },
    });
    expect(await valueOf(database.admin, 'pull_sources', 'filled', 'feed', 'config_json')).toEqual({
      owners: ['-2002'],
      auth_ref: 'vk-community',
    });
    const times = await queryRow(
      database.admin,
      z.object({ created: z.string(), updated: z.string() }),
      `select created_at as created, updated_at as updated from outrider.channels
       where workspace_id = 'filled' and channel_id = 'news'`,
    );
    expect(times).toEqual({ created: '2026-03-02 10:00:00+00', updated: '2026-03-02 10:00:00+00' });
  });

  it('calls a workspace without a name by its id', async () => {
    await apply(database.service, { workspace: 'nameless' });
    expect(await valueOf(database.admin, 'workspaces', 'nameless', 'nameless', 'name')).toBe(
      'nameless',
    );
  });

  it('does not tell the hash of a secret', async () => {
    const changes = await apply(database.service, fullDocument('discreet'));
    expect(changeOf(changes, 'endpoint', 'push').fields['secret_hash']).toEqual({
      from: null,
      to: '(changed)',
    });
    expect(JSON.stringify(changes)).not.toMatch(/[0-9a-f]{64}/);
  });
});

describe('a second apply', () => {
  it('has nothing to change, and writes nothing', async () => {
    const document = fullDocument('twice');
    await apply(database.service, document);
    const before = await checksums(database.admin);
    for (const prune of [false, true]) {
      const changes = await apply(database.service, document, { prune, now: after(60) });
      expect(changes.filter((each) => each.action !== 'keep')).toEqual([]);
      expect(changes).toHaveLength(14);
    }
    expect(await checksums(database.admin)).toEqual(before);
  });

  it('takes another spelling of the same value for the same', async () => {
    const document = { workspace: 'spelling', settings: { sending_lease: '60 seconds' } };
    await apply(database.service, document);
    document.settings.sending_lease = '1 minute';
    expect(told(await apply(database.service, document))).toEqual([]);
  });
});

describe('a dry run', () => {
  it('tells the same changes and leaves every table as it was', async () => {
    const before = await checksums(database.admin);
    const dry = await apply(database.service, fullDocument('dry'), { dryRun: true });
    expect(await checksums(database.admin)).toEqual(before);
    expect(await apply(database.service, fullDocument('dry'))).toEqual(dry);
  });

  it('also of removals and of new versions', async () => {
    await apply(database.service, fullDocument('drier'));
    const document = {
      workspace: 'drier',
      settings: { max_attempts: 1 },
      endpoints: {},
      credentials: {},
      rate_groups: {},
      templates: { card: { body: 'another {{text}}' } },
      channels: { news: { enabled: false, auth_ref: 'nobody', target_id: '-7' } },
      pull_sources: {},
    };
    const before = await checksums(database.admin);
    const dry = await apply(database.service, document, { dryRun: true, prune: true });
    expect(told(dry).length).toBeGreaterThan(8);
    expect(await checksums(database.admin)).toEqual(before);
    expect(await apply(database.service, document, { prune: true })).toEqual(dry);
  });

  it('finds what the constraints would refuse', async () => {
    const document = { workspace: 'drier', channels: { news: { tags: ['News'] } } };
    await expect(apply(database.service, document, { dryRun: true })).rejects.toThrow(
      'apply_workspace: channel "news": tags must be in lower case',
    );
  });
});

describe('presets/demo.yaml', () => {
  it('gives the rows that db/seed.sql gives', async () => {
    const seed = await readFile(new URL('../../db/seed.sql', import.meta.url), 'utf8');
    const document = await presetDocument('demo');
    await applyWorkspace(database.service, { document, prune: false, dryRun: false }, start);
    const applied = await configuredRows(database.admin, 'demo');
    const other = await openDatabase();
    try {
      await other.admin.query(seed);
      expect(applied).toEqual(await configuredRows(other.admin, 'demo'));
      expect(applied.filter(({ name }) => name === 'channels')).toHaveLength(6);
      const again = await applyWorkspace(other.service, { document, prune: true, dryRun: false });
      expect(told(again)).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
