import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import {
  apply,
  type Configuration,
  configuredRows,
  fullDocument,
  recorded,
  told,
  valueOf,
} from '../support/database/configuration.ts';
import { addDelivery, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { admin, service } = database;
let workspace: string;

beforeEach(async () => {
  workspace = database.newWorkspaceId();
  await apply(service, fullDocument(workspace));
});

const empty = {
  endpoints: {},
  credentials: {},
  rate_groups: {},
  templates: {},
  channels: {},
  pull_sources: {},
};

async function prune(document: Omit<Configuration, 'workspace'>): Promise<string[]> {
  return told(await apply(service, { workspace, ...document }, { prune: true, now: after(60) }));
}

describe('what the document does not list', () => {
  it('stays without prune, and is told', async () => {
    const before = await configuredRows(admin, workspace);
    const changes = told(await apply(service, { workspace, ...empty }));
    expect(changes).toHaveLength(12);
    expect(changes.every((each) => /^= .* \(not in the document\)$/.test(each))).toBe(true);
    expect(await configuredRows(admin, workspace)).toEqual(before);
  });

  it('goes with prune; the workspace and its settings stay', async () => {
    expect(await prune(empty)).toEqual([
      '= endpoint bot (not in the document; it is disabled)',
      '- endpoint push (disabled: its receipts stay)',
      '- pull_source feed',
      '- channel news',
      '- channel night',
      '- channel wall',
      '- credential telegram-bot',
      '- credential vk-community',
      '- rate_group telegram/telegram-bot',
      '- rate_group vk/vk-community',
      '- template card',
      '- template plain',
    ]);
    const left = await configuredRows(admin, workspace);
    expect(left.map(({ name }) => name)).toEqual([
      'workspace_endpoints',
      'workspace_endpoints',
      'workspace_settings',
      'workspaces',
    ]);
    expect((await prune(empty)).filter((each) => !each.startsWith('='))).toEqual([]);
  });

  it('stays with prune where the document has no such section', async () => {
    const before = await configuredRows(admin, workspace);
    const changes = await prune({});
    expect(changes).toHaveLength(12);
    expect(changes[0]).toBe(
      '= endpoint bot (not in the document, which has no section "endpoints")',
    );
    expect(await configuredRows(admin, workspace)).toEqual(before);
  });

  it('is judged section by section', async () => {
    const { channels, templates } = fullDocument(workspace);
    const changes = await prune({ channels: { news: channels.news }, templates });
    expect(changes.filter((each) => !each.startsWith('='))).toEqual([
      '- channel night',
      '- channel wall',
    ]);
  });
});

describe('a pruned channel', () => {
  it('is disabled if it has deliveries, with an event, once', async () => {
    await addDelivery(admin, workspace, 'news');
    expect(await prune({ channels: {} })).toContain('- channel news (disabled: it has deliveries)');
    expect(await valueOf(admin, 'channels', workspace, 'news', 'enabled')).toBe(false);
    expect(await recorded(admin, workspace)).toMatchObject([
      { action: 'channel_disabled', channel_id: 'news' },
    ]);
    expect(await prune({ channels: {} })).toContain(
      '= channel news (not in the document; it has deliveries and is disabled)',
    );
    expect(await recorded(admin, workspace)).toHaveLength(1);
  });

  it('makes room for another one of its target', async () => {
    const heir = { platform: 'telegram', target_id: '-1001', auth_ref: 'telegram-bot' };
    expect(await prune({ channels: { heir } })).toContain('+ channel heir');
  });

  it('does not give its target up if it has deliveries', async () => {
    await addDelivery(admin, workspace, 'news');
    const heir = { platform: 'telegram', target_id: '-1001', auth_ref: 'telegram-bot' };
    await expect(prune({ channels: { heir } })).rejects.toThrow(
      'channel "heir": target_id "-1001" on telegram belongs to channel "news"',
    );
    expect(await valueOf(admin, 'channels', workspace, 'news', 'enabled')).toBe(true);
  });
});

describe('what channels name', () => {
  it('is not pruned: credentials and templates', async () => {
    const changes = await prune({ credentials: {}, templates: {} });
    expect(changes.filter((each) => !each.includes('no section'))).toEqual([
      '= credential telegram-bot (not in the document; channel "news" names it)',
      '= credential vk-community (not in the document; channel "wall" names it)',
      '= template card (not in the document; channel "news" names it)',
      '- template plain',
    ]);
  });

  it('counts with its version', async () => {
    await apply(service, { workspace, channels: { news: { template_ref: 'plain@1' } } });
    const changes = await prune({ templates: {} });
    expect(changes).toContain('- template card');
    expect(changes).toContain('= template plain (not in the document; channel "news" names it)');
  });

  it('counts by the credential that channel_auth has put in place of its own', async () => {
    await admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       select $1, channel_id, 'vk-community', $2, $2 from outrider.channels where workspace_id = $1`,
      [workspace, start],
    );
    expect(await prune({ credentials: {} })).toContain('- credential telegram-bot');
  });

  it('goes back to the limit of its platform and loses nothing else: a rate group', async () => {
    await admin.query(
      `update outrider.platform_limits set cooldown_until = $2, next_allowed_at = $2
       where workspace_id = $1`,
      [workspace, after(500)],
    );
    expect(await prune({ rate_groups: {} })).toContain(
      '- rate_group telegram/telegram-bot (back to the limit of its platform: channel "news" is in it)',
    );
    const rows = await configuredRows(admin, workspace);
    expect(
      rows.find(({ name, row }) => name === 'platform_limits' && row['platform'] === 'telegram')
        ?.row,
    ).toMatchObject({
      rate_rps: 17.5,
      cooldown_until: '2026-03-02T10:08:20+00:00',
    });
    expect((await prune({ rate_groups: {} })).some((each) => each.includes('rate_group'))).toBe(
      false,
    );
  });

  it('is not told of if nobody has set its limit: a rate group that a claim has made', async () => {
    await addDelivery(admin, workspace, 'night');
    await claimDeliveries(service, { workspaceId: workspace, runId: 'r', limit: 1 }, start);
    const groups = await queryRows(
      admin,
      z.object({ rate_group: z.string() }),
      'select rate_group from outrider.platform_limits where workspace_id = $1 order by 1',
      [workspace],
    );
    expect(groups.map((each) => each.rate_group)).toContain('slow');
    const { rate_groups } = fullDocument(workspace);
    expect((await prune({ rate_groups })).join()).not.toContain('slow');
  });
});

describe('a pruned pull source', () => {
  it('is disabled if it has been read', async () => {
    await admin.query(
      `insert into outrider.pull_receipts (workspace_id, source_id, item_ref, received_at)
       values ($1, 'feed', 'item-1', $2)`,
      [workspace, start],
    );
    expect(await prune({ pull_sources: {} })).toContain(
      '- pull_source feed (disabled: its receipts stay)',
    );
    expect(await prune({ pull_sources: {} })).toContain(
      '= pull_source feed (not in the document; it is disabled)',
    );
    expect(await valueOf(admin, 'pull_sources', workspace, 'feed', 'enabled')).toBe(false);
  });
});
