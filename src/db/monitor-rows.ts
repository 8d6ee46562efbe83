// Rows about alerts, their targets and the messages to them.

import { z } from 'zod';
import { time, timeOrInJson } from './columns.ts';

const severity = z.enum(['info', 'warning', 'critical']);

export const AlertChange = z
  .object({
    alert_id: z.string(),
    kind: z.string(),
    fingerprint: z.string(),
    severity,
    change: z.enum(['opened', 'repeated', 'resolved']),
    silenced: z.boolean(),
    summary: z.string(),
  })
  .transform(({ alert_id: alertId, ...row }) => ({ alertId, ...row }));

export type AlertChange = z.output<typeof AlertChange>;

const Address = z
  .object({
    kind: z.enum(['chat', 'webhook', 'email', 'log']),
    target_id: z.string().nullable(),
    auth_ref: z.string().nullable(),
    secret_ref: z.string().nullable(),
    platform: z.string().nullable(),
    rate_group: z.string().nullable(),
    url: z.string().nullable(),
    recipients: z.array(z.string()).nullable(),
  })
  .transform((row) => ({
    kind: row.kind,
    targetId: row.target_id,
    authRef: row.auth_ref,
    secretRef: row.secret_ref,
    platform: row.platform,
    rateGroup: row.rate_group,
    url: row.url,
    recipients: row.recipients,
  }));

/** Where a message to an alert target goes. */
export type AlertAddress = z.output<typeof Address>;

const ToldChange = z.object({
  alert_id: z.string(),
  kind: z.string(),
  subject: z.string().nullable(),
  severity,
  change: z.enum(['opened', 'repeated', 'resolved']),
  summary: z.string(),
});

/** A change of an alert as a message tells it; named as in the schema. */
export type ToldChange = z.output<typeof ToldChange>;

/** A row of claimNotifications, also as JSON: from another monitor that claimed it. */
export const ClaimedNotification = z
  .object({
    workspace_id: z.string(),
    notification_id: z.string(),
    claim_token: z.string(),
    alert_target_id: z.string(),
    address: Address,
    subject: z.string(),
    body: z.string(),
    changes: z.array(ToldChange),
    created_at: timeOrInJson,
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    notificationId: row.notification_id,
    claimToken: row.claim_token,
    alertTargetId: row.alert_target_id,
    address: row.address,
    subject: row.subject,
    body: row.body,
    changes: row.changes,
    createdAt: row.created_at,
  }));

export type ClaimedNotification = z.output<typeof ClaimedNotification>;

export const Undelivered = z
  .object({
    workspace_id: z.string(),
    alert_target_id: z.string(),
    since: time,
    last_error: z.string(),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    alertTargetId: row.alert_target_id,
    since: row.since,
    lastError: row.last_error,
  }));

export type Undelivered = z.output<typeof Undelivered>;

export const ListedAlert = z
  .object({
    alert_id: z.string(),
    kind: z.string(),
    fingerprint: z.string(),
    severity,
    state: z.enum(['open', 'acknowledged', 'silenced', 'resolved']),
    summary: z.string(),
    opened_at: time,
    resolved_at: time.nullable(),
    notified_at: time.nullable(),
    acknowledged_by: z.string().nullable(),
    silenced_until: time.nullable(),
  })
  .transform((row) => ({
    alertId: row.alert_id,
    kind: row.kind,
    fingerprint: row.fingerprint,
    severity: row.severity,
    state: row.state,
    summary: row.summary,
    openedAt: row.opened_at,
    resolvedAt: row.resolved_at,
    notifiedAt: row.notified_at,
    acknowledgedBy: row.acknowledged_by,
    silencedUntil: row.silenced_until,
  }));

export type ListedAlert = z.output<typeof ListedAlert>;

const timeInJson = z.string().transform((text) => new Date(text));

export const ShownAlert = z.object({
  alert_id: z.string(),
  kind: z.string(),
  fingerprint: z.string(),
  severity,
  summary: z.string(),
  detail: z.record(z.string(), z.unknown()),
  runbook: z.string(),
  now: timeInJson,
  opened_at: timeInJson,
  seen_at: timeInJson,
  resolved_at: timeInJson.nullable(),
  told: z.string().nullable(),
  notified_at: timeInJson.nullable(),
  acknowledged_at: timeInJson.nullable(),
  acknowledged_by: z.string().nullable(),
  acknowledged_because: z.string().nullable(),
  silence: z
    .object({
      matches: z.string(),
      until: timeInJson,
      operator: z.string(),
      reason: z.string(),
    })
    .nullable(),
  notifications: z.array(
    z.object({
      alert_target_id: z.string(),
      status: z.enum(['queued', 'sent', 'failed']),
      attempts: z.number(),
      created_at: timeInJson,
      ended_at: timeInJson.nullable(),
      next_try_at: timeInJson.nullable(),
      last_error: z.string().nullable(),
    }),
  ),
});

export type ShownAlert = z.output<typeof ShownAlert>;

export const AlertTarget = z
  .object({
    alert_target_id: z.string(),
    enabled: z.boolean(),
    min_severity: severity,
    address: Address,
    reached_at: time.nullable(),
    undelivered_since: time.nullable(),
    last_error: z.string().nullable(),
  })
  .transform((row) => ({
    alertTargetId: row.alert_target_id,
    enabled: row.enabled,
    minSeverity: row.min_severity,
    address: row.address,
    reachedAt: row.reached_at,
    undeliveredSince: row.undelivered_since,
    lastError: row.last_error,
  }));

export type AlertTarget = z.output<typeof AlertTarget>;

export const Acknowledged = z
  .object({ alert_id: z.string(), changed: z.boolean(), note: z.string().nullable() })
  .transform(({ alert_id: alertId, ...row }) => ({ alertId, ...row }));

export type Acknowledged = z.output<typeof Acknowledged>;

export const Silenced = z
  .object({ matches: z.string(), until: time, open_alerts: z.number() })
  .transform(({ open_alerts: openAlerts, ...row }) => ({ ...row, openAlerts }));

export type Silenced = z.output<typeof Silenced>;

export const Silence = z.object({
  matches: z.string(),
  until: time,
  operator: z.string(),
  reason: z.string(),
});

export type Silence = z.output<typeof Silence>;

const count = z.number();

export const HealthSnapshot = z.object({
  workspace_id: z.string(),
  now: timeInJson,
  by_status: z.object({
    queued: count,
    retry: count,
    claimed: count,
    sending: count,
    failed_permanent: count,
    dead: count,
  }),
  last_hour: z.record(z.string(), count),
  top_errors: z.array(z.object({ code: z.string(), count, message: z.string().nullable() })),
  at_least: z.array(z.string()),
  oldest_due: z.object({ channel_id: z.string(), due_since: timeInJson }).nullable(),
  channels_stopped: z.array(
    z.object({ channel_id: z.string(), state: z.string(), reason: z.string().nullable() }),
  ),
  services: z.object({ alive: count, ready: count, silent: count }),
  /** When the oldest open transaction began; null: there is none. */
  oldest_transaction: z.union([z.literal('unknown'), timeInJson]).nullable(),
  alerts: z.object({ open: count, critical: count, undelivered: count, evaluated: z.boolean() }),
});

/** Named as in the schema. */
export type HealthSnapshot = z.output<typeof HealthSnapshot>;
