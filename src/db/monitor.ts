// Signs of life, alerts, and the messages that tell people of them.

import { z } from 'zod';
import { at, callForRow, callForValue, callFunction, json } from './call.ts';
import { workspaceRow } from './columns.ts';
import {
  Acknowledged,
  AlertChange,
  AlertTarget,
  ClaimedNotification,
  HealthSnapshot,
  ListedAlert,
  ShownAlert,
  Silence,
  Silenced,
  Undelivered,
} from './monitor-rows.ts';
import type { Queryable } from './pool.ts';

export type * from './monitor-rows.ts';

export interface Beat {
  readonly serviceId: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly roles: readonly string[];
  readonly ready: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A sign of life of this process. */
export async function beat(client: Queryable, given: Beat, now?: string): Promise<void> {
  const { serviceId, host, pid, version, roles, ready, facts } = given;
  await callForValue(client, {
    name: 'beat',
    args: at(now, [serviceId, host, pid, version, roles, ready, json(facts)]),
    row: z.literal(''),
  });
}

/** Says that this process has stopped in order. */
export async function endBeat(client: Queryable, serviceId: string): Promise<boolean> {
  return callForValue(client, { name: 'end_beat', args: [serviceId], row: z.boolean() });
}

/** Whether the caller is the one that does what only one process may do at a time. */
export async function takeRun(
  client: Queryable,
  run: { readonly name: string; readonly runId: string; readonly lease: string },
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'take_run',
    args: at(now, [run.name, run.runId, run.lease]),
    row: z.boolean(),
  });
}

/** Lets somebody else do it at once. */
export async function endRun(
  client: Queryable,
  run: { readonly name: string; readonly runId: string },
): Promise<boolean> {
  return callForValue(client, { name: 'end_run', args: [run.name, run.runId], row: z.boolean() });
}

/** Opens, repeats and resolves the alerts of a workspace, and queues messages about them. */
export async function evaluateAlerts(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<AlertChange[]> {
  return callFunction(client, {
    name: 'evaluate_alerts',
    args: at(now, [workspaceId]),
    row: AlertChange,
  });
}

/** The workspaces whose alerts are to be evaluated. */
export async function alertingWorkspaces(client: Queryable): Promise<string[]> {
  return callFunction(client, { name: 'alerting_workspaces', args: [], row: workspaceRow });
}

/** Takes messages that are due, one for each target. */
export async function claimNotifications(
  client: Queryable,
  request: { readonly limit: number; readonly lease: string },
  now?: string,
): Promise<ClaimedNotification[]> {
  return callFunction(client, {
    name: 'claim_notifications',
    args: at(now, [request.limit, request.lease]),
    row: ClaimedNotification,
  });
}

export interface NotificationOutcome
  extends Pick<ClaimedNotification, 'workspaceId' | 'notificationId' | 'claimToken'> {
  /** Why it was not delivered; null when it was. */
  readonly error: string | null;
  /** How long the target wants to be left alone, as an interval. */
  readonly retryAfter: string | null;
  /** This process lacks a secret or a setting that another one may have. */
  readonly leftToOthers?: boolean | undefined;
}

/** An outcome as the arguments of commit_notification, by name. */
export function notificationOutcomeAsJson(outcome: NotificationOutcome): object {
  return {
    workspace_id: outcome.workspaceId,
    notification_id: outcome.notificationId,
    claim_token: outcome.claimToken,
    error: outcome.error,
    retry_after: outcome.retryAfter,
    left_to_others: outcome.leftToOthers ?? false,
  };
}

/** For a message that another process has claimed: holds it for the lease from now; false when somebody else has it by now. */
export async function holdNotification(
  client: Queryable,
  held: Pick<NotificationOutcome, 'workspaceId' | 'notificationId' | 'claimToken'> & {
    readonly lease: string;
  },
  now?: string,
): Promise<boolean> {
  const { workspaceId, notificationId, claimToken, lease } = held;
  return callForValue(client, {
    name: 'hold_notification',
    args: at(now, [workspaceId, notificationId, claimToken, lease]),
    row: z.boolean(),
  });
}

/** Records what became of a message; null when somebody else has it by now. */
export async function commitNotification(
  client: Queryable,
  outcome: NotificationOutcome,
  now?: string,
): Promise<'sent' | 'queued' | 'failed' | null> {
  const { workspaceId, notificationId, claimToken, error, retryAfter } = outcome;
  const { leftToOthers = false } = outcome;
  return callForValue(client, {
    name: 'commit_notification',
    args: at(now, [workspaceId, notificationId, claimToken, error, retryAfter, leftToOthers]),
    row: z.enum(['sent', 'queued', 'failed']).nullable(),
  });
}

/** The alert targets that messages do not reach. */
export async function undeliveredAlerts(client: Queryable, now?: string): Promise<Undelivered[]> {
  return callFunction(client, {
    name: 'undelivered_alerts',
    args: at(now, []),
    row: Undelivered,
  });
}

/** Open alerts, the worst first, then resolved ones, the latest first. */
export async function listAlerts(
  client: Queryable,
  filter: {
    readonly workspaceId: string;
    readonly state?: 'open' | 'resolved' | undefined;
    readonly limit: number;
  },
  now?: string,
): Promise<ListedAlert[]> {
  return callFunction(client, {
    name: 'list_alerts',
    args: at(now, [filter.workspaceId, filter.state ?? null, filter.limit]),
    row: ListedAlert,
  });
}

/** One alert, with the messages that told of it. */
export async function showAlert(
  client: Queryable,
  alert: { readonly workspaceId: string; readonly alertId: string },
  now?: string,
): Promise<ShownAlert> {
  return callForValue(client, {
    name: 'show_alert',
    args: at(now, [alert.workspaceId, alert.alertId]),
    row: ShownAlert,
  });
}

/** Where the alerts of a workspace are told. */
export async function listAlertTargets(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<AlertTarget[]> {
  return callFunction(client, {
    name: 'list_alert_targets',
    args: at(now, [workspaceId]),
    row: AlertTarget,
  });
}

interface Order {
  readonly workspaceId: string;
  readonly dryRun: boolean;
  readonly operator: string;
  readonly reason: string;
}

/** Somebody knows of the alert: it is not repeated. */
export async function ackAlert(
  client: Queryable,
  order: Order & { readonly alertId: string },
  now?: string,
): Promise<Acknowledged> {
  const { workspaceId, alertId, dryRun, operator, reason } = order;
  return callForRow(client, {
    name: 'ack_alert',
    args: at(now, [workspaceId, alertId, dryRun, operator, reason]),
    row: Acknowledged,
  });
}

/** Nobody is told of alerts of a kind, or of one fingerprint, until a time (ISO 8601). */
export async function silenceAlerts(
  client: Queryable,
  order: Order & { readonly matches: string; readonly until: string },
  now?: string,
): Promise<Silenced> {
  const { workspaceId, matches, until, dryRun, operator, reason } = order;
  return callForRow(client, {
    name: 'silence_alerts',
    args: at(now, [workspaceId, matches, until, dryRun, operator, reason]),
    row: Silenced,
  });
}

/** Ends a silence; false when there is none. */
export async function unsilenceAlerts(
  client: Queryable,
  order: Order & { readonly matches: string },
  now?: string,
): Promise<boolean> {
  const { workspaceId, matches, dryRun, operator, reason } = order;
  return callForValue(client, {
    name: 'unsilence_alerts',
    args: at(now, [workspaceId, matches, dryRun, operator, reason]),
    row: z.boolean(),
  });
}

/** What nobody is told of, and until when. */
export async function listSilences(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<Silence[]> {
  return callFunction(client, {
    name: 'list_silences',
    args: at(now, [workspaceId]),
    row: Silence,
  });
}

/** How a workspace does, as its alert targets are told. */
export async function healthSnapshot(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<HealthSnapshot> {
  return callForValue(client, {
    name: 'health_snapshot',
    args: at(now, [workspaceId]),
    row: HealthSnapshot,
  });
}
