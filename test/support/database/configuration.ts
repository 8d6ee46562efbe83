// A document that configures something of every kind, and the rows that it makes.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { applyWorkspace, type Change } from '../../../src/db/apply.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import { start } from './seed.ts';

export type Section = Record<string, Record<string, unknown>>;

export interface Configuration {
  workspace: string;
  name?: string;
  status?: string;
  settings?: Record<string, unknown>;
  endpoints?: Section;
  credentials?: Section;
  rate_groups?: Record<string, Section>;
  templates?: Section;
  channels?: Section;
  pull_sources?: Section;
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The secrets contain the name of the workspace: a secret opens one endpoint in the whole database. */
export function fullDocument(workspace: string) {
  return {
    workspace,
    name: 'City news',
    status: 'active',
    settings: { max_attempts: 7, sending_lease: '45 seconds', backoff_factor: 1.5 },
    endpoints: {
      push: { kind: 'webhook_push', secret_hash: hashOf(`${workspace} push`), ingress_rps: 50 },
      bot: { kind: 'bot_webhook', secret_hash: hashOf(`${workspace} bot`), enabled: false },
    },
    credentials: {
      'telegram-bot': { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' },
      'vk-community': { platform: 'vk', secret_ref: 'file:/run/secrets/vk' },
    },
    rate_groups: {
      telegram: { 'telegram-bot': { rate_rps: 30 } },
      vk: { 'vk-community': { rate_rps: 3 } },
    },
    templates: {
      card: { body: '<b>{{title}}</b>\n{{text}} {{more}}', defaults: { more: 'Read on' } },
      plain: { body: '{{text}}' },
    },
    channels: {
      news: {
        platform: 'telegram',
        target_id: '-1001',
        auth_ref: 'telegram-bot',
        title: 'News',
        settings: { parse_mode: 'HTML' },
        tags: ['news'],
        template_ref: 'card',
        rate_rps: 0.5,
        max_parallel: 2,
      },
      night: {
        platform: 'telegram',
        target_id: '-1002',
        auth_ref: 'telegram-bot',
        rate_group: 'slow',
        send_mode: 'text',
        window_mode: 'windowed',
        posting_window: { mon: [['22:00', '02:00']] },
        timezone: 'Europe/Moscow',
        dedup_ttl_hours: null,
        route_filter: { include_any: ['night'] },
      },
      wall: { platform: 'vk', target_id: '-2001', auth_ref: 'vk-community', rate_rps: null },
    },
    pull_sources: {
      feed: { kind: 'vk_wall', config: { owners: ['-2002'], auth_ref: 'vk-community' } },
    },
  };
}

export interface Order {
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly now?: string;
}

/** Applies a document as Outrider's own processes do. */
export async function apply(
  client: Queryable,
  document: Configuration,
  { prune = false, dryRun = false, now = start }: Order = {},
): Promise<Change[]> {
  return applyWorkspace(client, { document, prune, dryRun }, now);
}

/** The changes in short, such as `+ channel news`. Rows that are kept unchanged are left out. */
export function told(changes: readonly Change[]): string[] {
  const signs = { add: '+', change: '~', remove: '-', keep: '=' } as const;
  return changes
    .filter((each) => each.action !== 'keep' || each.note !== undefined)
    .map(({ action, kind, id, note }) =>
      [signs[action], kind, id, ...(note === undefined ? [] : [`(${note})`])].join(' '),
    );
}

export function changeOf(changes: readonly Change[], kind: Change['kind'], id: string): Change {
  const found = changes.find((each) => each.kind === kind && each.id === id);
  if (found === undefined) throw new Error(`${kind} ${id} is not among the changes`);
  return found;
}

const tables = [
  'workspaces',
  'workspace_settings',
  'workspace_endpoints',
  'credential_bindings',
  'platform_limits',
  'channels',
  'pull_sources',
];

const Row = z.object({ name: z.string(), row: z.record(z.string(), z.unknown()) });

/** Every configured row of a workspace, without its times. Of a template: the newest version, without its number. */
export async function configuredRows(
  client: Queryable,
  workspaceId: string,
): Promise<z.output<typeof Row>[]> {
  const each = tables.map(
    (name) => `select '${name}' as name, to_jsonb(t) as row from outrider.${name} t`,
  );
  const newest = `select 'templates', to_jsonb(t) - 'version' from (
    select distinct on (template_id) x.* from outrider.templates x
    where x.workspace_id = $1 order by template_id, version desc) t`;
  return queryRows(
    client,
    Row,
    `select name, row - 'created_at' - 'updated_at' - 'rotated_at' as row
     from (${[...each, newest].join(' union all ')}) x
     where row ->> 'workspace_id' = $1
     order by name, row::text`,
    [workspaceId],
  );
}

/** One column of one row. */
export async function valueOf(
  client: Queryable,
  table: string,
  workspaceId: string,
  id: string,
  column: string,
): Promise<unknown> {
  const rows = (await configuredRows(client, workspaceId)).filter(
    ({ name, row }) => name === table && Object.values(row).includes(id),
  );
  return rows[0]?.row[column];
}

const Event = z.object({
  action: z.string(),
  channel_id: z.string().nullable(),
  meta: z.record(z.string(), z.unknown()),
});

/** The events about the configuration of a workspace, oldest first. */
export async function recorded(
  client: Queryable,
  workspaceId: string,
): Promise<z.output<typeof Event>[]> {
  return queryRows(
    client,
    Event,
    `select action, channel_id, meta from outrider.events
     where workspace_id = $1 and delivery_id is null order by ts, action, channel_id`,
    [workspaceId],
  );
}
