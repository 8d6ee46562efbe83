// Alerts as tests start from them: a lawful call of every function, and targets.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { claimDeliveries } from '../../../src/db/claim.ts';
import { commitOutcomes } from '../../../src/db/commit.ts';
import { type AlertChange, evaluateAlerts } from '../../../src/db/monitor.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import { addDelivery, after, start } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import type { Arguments } from '../database/two-workspaces.ts';
import { retryAt } from '../queue/deliveries-in-every-state.ts';

/** As md5 of PostgreSQL makes an id of a text. */
function idOf(text: string): string {
  const hex = createHash('md5').update(text).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const serviceId = '00000000-0000-4000-8000-000000000014';

export function lawfulMonitorCalls(
  p_workspace_id: string,
  order: { readonly p_operator: string; readonly p_reason: string; readonly p_now: string },
): Readonly<Record<string, Arguments>> {
  const { p_now } = order;
  const p_alert_id = idOf(`${p_workspace_id}alert`);
  const p_notification_id = idOf(`${p_workspace_id}notification`);
  const run = { p_name: 'monitor', p_run_id: serviceId };
  return {
    beat: {
      p_service_id: serviceId,
      p_host: 'one',
      p_pid: 42,
      p_version: '0.1.0',
      p_roles: ['dispatch'],
      p_ready: true,
      p_facts: JSON.stringify({}),
      p_now,
    },
    end_beat: { p_service_id: serviceId },
    take_run: { ...run, p_lease: '20 seconds', p_now },
    end_run: run,
    evaluate_alerts: { p_workspace_id, p_now },
    alerting_workspaces: {},
    claim_notifications: { p_limit: 10, p_lease: '1 minute', p_now },
    hold_notification: {
      p_workspace_id,
      p_notification_id,
      p_claim_token: serviceId,
      p_lease: '2 minutes',
      p_now,
    },
    commit_notification: {
      p_workspace_id,
      p_notification_id,
      p_claim_token: serviceId,
      p_error: 'refused',
      p_retry_after: '1 minute',
      p_left_to_others: false,
      p_now,
    },
    undelivered_alerts: { p_now },
    list_alerts: { p_workspace_id, p_state: 'open', p_limit: 10, p_now },
    show_alert: { p_workspace_id, p_alert_id, p_now },
    list_alert_targets: { p_workspace_id, p_now },
    list_silences: { p_workspace_id, p_now },
    ack_alert: { p_workspace_id, p_alert_id, p_dry_run: false, ...order },
    silence_alerts: {
      p_workspace_id,
      p_matches: 'dead_letters',
      p_until: after(7200),
      p_dry_run: false,
      ...order,
    },
    unsilence_alerts: {
      p_workspace_id,
      p_matches: 'paused_channels',
      p_dry_run: false,
      ...order,
    },
    health_snapshot: { p_workspace_id, p_now },
    dispatch_lag: { p_now },
    take_group_slot: { p_workspace_id, p_platform: 'telegram', p_rate_group: 'bot', p_now },
  };
}

/** A target that takes everything. */
export async function addAlertTarget(
  admin: Queryable,
  workspaceId: string,
  columns: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const row: Readonly<Record<string, unknown>> = {
    workspace_id: workspaceId,
    alert_target_id: 'log',
    kind: 'log',
    min_severity: 'info',
    created_at: start,
    updated_at: start,
    ...columns,
  };
  const names = Object.keys(row);
  await admin.query(
    `insert into outrider.alert_targets (${names.join(', ')})
     values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(row),
  );
}

/** A delivery of channel news that is dead since a time. */
export async function addDead(
  { admin, service }: TestDatabase,
  workspaceId: string,
  at: string,
): Promise<void> {
  await addDelivery(admin, workspaceId, 'news');
  const claim = { workspaceId, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(service, claim, start);
  if (held === undefined) throw new Error('nothing was claimed');
  await commitOutcomes(service, workspaceId, [retryAt(held, after(900))], after(1));
  await admin.query(
    `update outrider.deliveries set status = 'dead', next_retry_at = null, failed_at = $2, updated_at = $2
     where delivery_id = $1`,
    [held.deliveryId, at],
  );
}

/** What an evaluation changes, in short: `opened dead_letters`. */
export async function changesAt(
  client: Queryable,
  workspaceId: string,
  seconds: number,
): Promise<string[]> {
  const changes = await evaluateAlerts(client, workspaceId, after(seconds));
  return changes.map(inShort).toSorted();
}

function inShort({ change, fingerprint, silenced }: AlertChange): string {
  return `${change} ${fingerprint}${silenced ? ' (silenced)' : ''}`;
}

/** The bodies of the messages that wait or were sent, the oldest first. */
export async function messagesOf(
  admin: Queryable,
  workspaceId: string,
  alertTargetId = 'log',
): Promise<string[]> {
  const rows = await queryRows(
    admin,
    z.object({ body: z.string() }),
    `select body from outrider.alert_notifications
     where workspace_id = $1 and alert_target_id = $2 order by created_at`,
    [workspaceId, alertTargetId],
  );
  return rows.map((each) => each.body);
}
