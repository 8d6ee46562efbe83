import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import {
  apply,
  type Configuration,
  changeOf,
  configuredRows,
  fullDocument,
  hashOf,
  recorded,
  told,
  valueOf,
} from '../support/database/configuration.ts';
import { after } from '../support/database/seed.ts';
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

describe('a change', () => {
  it('of name and status is told with what was there before', async () => {
    const changes = await change({ name: 'Town news', status: 'paused' });
    expect(changeOf(changes, 'workspace', workspace)).toEqual({
      kind: 'workspace',
      id: workspace,
      action: 'change',
      fields: {
        name: { from: 'City news', to: 'Town news' },
        status: { from: 'active', to: 'paused' },
      },
    });
    expect(await valueOf(admin, 'workspaces', workspace, workspace, 'status')).toBe('paused');
  });

  it('of a setting leaves the others', async () => {
    const changes = await change({ settings: { max_attempts: 3 } });
    expect(changeOf(changes, 'settings', workspace).fields).toEqual({
      max_attempts: { from: 7, to: 3 },
    });
    expect(await valueOf(admin, 'workspace_settings', workspace, workspace, 'sending_lease')).toBe(
      '00:00:45',
    );
  });

  it('of an endpoint tells that the secret is another one, and not which', async () => {
    const secret_hash = hashOf(`${workspace} other`);
    const changes = await change({ endpoints: { push: { secret_hash, max_payload_bytes: 1000 } } });
    expect(changeOf(changes, 'endpoint', 'push').fields).toEqual({
      secret_hash: { from: '(changed)', to: '(changed)' },
      max_payload_bytes: { from: 262144, to: 1000 },
    });
    expect(await valueOf(admin, 'workspace_endpoints', workspace, 'push', 'secret_hash')).toBe(
      secret_hash,
    );
  });

  it('of an endpoint’s secret is recorded, without it', async () => {
    const changed = { secret_hash: hashOf(`${workspace} other`) };
    await change({ endpoints: { push: changed } });
    await change({ endpoints: { push: { ...changed, ingress_rps: 7 } } });
    const event = {
      action: 'endpoint_secret_changed',
      channel_id: null,
      meta: { ...operator, endpoint_id: 'push' },
    };
    expect(await recorded(admin, workspace)).toEqual([event]);
    await change({ endpoints: { push: { signing_secret_ref: 'env:SIGNING' } } });
    expect(await recorded(admin, workspace)).toEqual([event, event]);
  });

  it('that makes an endpoint which nothing serves yet comes with a warning', async () => {
    const changes = await change({ endpoints: { bot: {}, push: {} } });
    expect(changeOf(changes, 'endpoint', 'push').warnings).toBeUndefined();
    expect(changeOf(changes, 'endpoint', 'bot').warnings).toContain(
      'it names no auth_ref, so nothing can be answered',
    );
  });

  it('that names a credential for a source which is not configured comes with a warning', async () => {
    const config = { owners: ['-1'], auth_ref: 'nobody' };
    const changes = await change({ pull_sources: { feed: { config } } });
    expect(changeOf(changes, 'pull_source', 'feed').warnings).toEqual([
      'no credential "nobody" is configured, so it cannot be read',
    ]);
  });

  it('of a source makes it due at once, and takes it from who reads it', async () => {
    const next = {
      pull_sources: { feed: { config: { owners: ['-7'], auth_ref: 'vk-community' } } },
    };
    await admin.query(
      `update outrider.pull_cursors set next_pull_at = $2, lease_token = gen_random_uuid(), lease_until = $2, leased_by = 'x'
       where workspace_id = $1`,
      [workspace, after(3600)],
    );
    await change(next);
    const { rows } = await admin.query(
      'select next_pull_at = $2 as due, lease_token from outrider.pull_cursors where workspace_id = $1',
      [workspace, after(60)],
    );
    expect(rows).toEqual([{ due: true, lease_token: null }]);
  });

  it('of an endpoint may ask for signatures, and stop asking', async () => {
    const asking = { push: { signing_secret_ref: 'env:SIGNING_SECRET' } };
    expect(told(await change({ endpoints: asking }))).toContain('~ endpoint push');
    const changes = await change({ endpoints: { push: { signing_secret_ref: null } } });
    expect(changeOf(changes, 'endpoint', 'push').fields).toEqual({
      signing_secret_ref: { from: 'env:SIGNING_SECRET', to: null },
    });
  });

  it('of a credential is a rotation: dated, recorded, without the reference', async () => {
    await change({ credentials: { 'telegram-bot': { secret_ref: 'env:NEW_TOKEN' } } });
    const { rotated } = await queryRow(
      admin,
      z.object({ rotated: z.string() }),
      `select rotated_at as rotated from outrider.credential_bindings
       where workspace_id = $1 and auth_ref = 'telegram-bot'`,
      [workspace],
    );
    expect(rotated).toBe('2026-03-02 10:01:00+00');
    expect(await recorded(admin, workspace)).toEqual([
      {
        action: 'auth_rotated',
        channel_id: null,
        meta: { ...operator, auth_ref: 'telegram-bot' },
      },
    ]);
  });

  it('of a rate group holds at once, and leaves its cooldown', async () => {
    await admin.query(
      `update outrider.platform_limits set next_allowed_at = $2, cooldown_until = $2
       where workspace_id = $1`,
      [workspace, after(500)],
    );
    const changes = await change({ rate_groups: { vk: { 'vk-community': { rate_rps: null } } } });
    expect(changeOf(changes, 'rate_group', 'vk/vk-community').fields).toEqual({
      rate_rps: { from: 3, to: null },
    });
    const rows = await configuredRows(admin, workspace);
    expect(
      rows.find(({ name, row }) => name === 'platform_limits' && row['platform'] === 'vk')?.row,
    ).toMatchObject({
      rate_rps: null,
      next_allowed_at: '2026-03-02T10:01:00+00:00',
      cooldown_until: '2026-03-02T10:08:20+00:00',
    });
  });

  it('of a template makes the next version and leaves the earlier ones', async () => {
    const changes = await change({ templates: { card: { body: '{{text}}!' } } });
    expect(changeOf(changes, 'template', 'card').fields).toEqual({
      body: { from: '<b>{{title}}</b>\n{{text}} {{more}}', to: '{{text}}!' },
      version: { from: 1, to: 2 },
    });
    const versions = await queryRows(
      admin,
      z.looseObject({}),
      `select version, body, defaults from outrider.templates
       where workspace_id = $1 and template_id = 'card' order by version`,
      [workspace],
    );
    const defaults = { more: 'Read on' };
    expect(versions).toEqual([
      { version: 1, body: '<b>{{title}}</b>\n{{text}} {{more}}', defaults },
      { version: 2, body: '{{text}}!', defaults },
    ]);
  });

  it('of a template’s defaults alone makes a version, too', async () => {
    await change({ templates: { card: { defaults: {} } } });
    expect(told(await change({ templates: { card: { defaults: {} } } }))).not.toContain(
      '~ template card',
    );
    expect(await valueOf(admin, 'templates', workspace, 'card', 'body')).toMatch(/^<b>/);
  });

  it('of a pull source calls its config by the document’s name', async () => {
    const changes = await change({ pull_sources: { feed: { config: { url: 'other' } } } });
    expect(changeOf(changes, 'pull_source', 'feed').fields).toEqual({
      config: {
        from: { owners: ['-2002'], auth_ref: 'vk-community' },
        to: { url: 'other' },
      },
    });
  });

  it('is dated by the apply', async () => {
    await change({ channels: { news: { title: 'Other' } } });
    const rows = await queryRows(
      admin,
      z.object({ channel_id: z.string(), updated: z.string() }),
      `select channel_id, updated_at as updated from outrider.channels
       where workspace_id = $1 and updated_at <> created_at`,
      [workspace],
    );
    expect(rows).toEqual([{ channel_id: 'news', updated: '2026-03-02 10:01:00+00' }]);
  });
});
