// The monitor: finds out what is wrong and tells people. Of all monitors one evaluates at a time, the others are ready to
// take over; any of them sends the messages, which have leases of their own.
//
//   standby → the guard is free, or its lease is over → at work: evaluates every workspace that has targets or alerts
//   at work → stop() → gives the guard back → stopped
//   at work → dies → its lease ends after 20 s, and another one takes the guard with its next look

import { randomUUID } from 'node:crypto';
import { startChore, type TurnPace } from '../chore.ts';
import type { Clock } from '../clock.ts';
import {
  alertingWorkspaces,
  type ClaimedNotification,
  claimNotifications,
  commitNotification,
  endRun,
  evaluateAlerts,
  type NotificationOutcome,
  takeRun,
  type Undelivered,
  undeliveredAlerts,
} from '../db/monitor.ts';
import type { Queryable } from '../db/pool.ts';
import { DatabaseAwayError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Health, healthy, type Service } from '../service.ts';
import type { Tell, Told } from './targets/target.ts';

export interface MonitorOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
  readonly tell: Tell;
  /** How often it looks; a look comes up to a quarter earlier or later. */
  readonly everyMs?: number | undefined;
  /** The time by which alerts and guards are judged; the database's when missing. */
  readonly now?: (() => string) | undefined;
}

export interface Monitor extends Service {
  /** Looks at once. */
  look(): void;
}

const guard = 'monitor';
/** With looks 6 to 10 s apart, a monitor that dies is replaced within 30 s. */
const lookEveryMs = 8000;
const guardLease = '20 seconds';
/** Longer than any target may take, so that nobody is told twice. */
const messageLease = '2 minutes';
const tellMs = 60_000;
const messagesAtOnce = 20;

export function startMonitor(options: MonitorOptions): Monitor {
  const { client, log, clock, tell, everyMs = lookEveryMs } = options;
  const now = (): string | undefined => options.now?.();
  const runId = randomUUID();
  const stopping = new AbortController();
  let isAtWork = false;
  let unreached: readonly Undelivered[] = [];

  async function evaluate({ isOver }: TurnPace): Promise<void> {
    unreached = await undeliveredAlerts(client, now());
    const wasAtWork = isAtWork;
    isAtWork = await takeRun(client, { name: guard, runId, lease: guardLease }, now());
    if (isAtWork && !wasAtWork) log.info('watches over all workspaces from now on');
    if (!isAtWork) return;
    for (const workspaceId of await alertingWorkspaces(client)) {
      if (isOver()) return;
      await evaluateIn(workspaceId);
    }
    messages.ring();
  }

  /** Whatever is wrong with one workspace, the others are evaluated. */
  async function evaluateIn(workspaceId: string): Promise<void> {
    try {
      for (const { change, kind, fingerprint, severity, silenced, summary } of await evaluateAlerts(
        client,
        workspaceId,
        now(),
      )) {
        const facts = { workspace_id: workspaceId, kind, fingerprint, severity, silenced, summary };
        log.info(`alert ${change}`, facts);
      }
    } catch (error) {
      if (error instanceof DatabaseAwayError) throw error;
      log.error('the alerts of a workspace cannot be evaluated', {
        workspace_id: workspaceId,
        error: String(error),
      });
    }
  }

  async function send(): Promise<void> {
    const claim = { limit: messagesAtOnce, lease: messageLease };
    const claimed = await claimNotifications(client, claim, now());
    await Promise.all(claimed.map(sendOne));
    if (claimed.length === messagesAtOnce && !stopping.signal.aborted) await send();
  }

  async function sendOne(claimed: ClaimedNotification): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(tellMs)]);
    const told = await tell({ ...claimed, id: claimed.notificationId }, signal);
    const status = await commitNotification(client, { ...claimed, ...outcomeOf(told) }, now());
    if (told.ok) return;
    log.warn('an alert could not be delivered', {
      workspace_id: claimed.workspaceId,
      alert_target_id: claimed.alertTargetId,
      became: status,
      error: told.reason,
    });
  }

  const messages = startChore({
    log,
    clock,
    words: { failed: 'alerts cannot be sent', over: 'alerts are sent again' },
    everyMs,
    retryMs: everyMs,
    turn: send,
  });
  const looks = startChore({
    log,
    clock,
    words: { failed: 'alerts cannot be evaluated', over: 'alerts are evaluated again' },
    everyMs,
    retryMs: everyMs,
    turn: evaluate,
  });

  return {
    name: 'monitor',
    look: () => looks.ring(),
    health(): Health {
      if (looks.failures() >= 3) return { ok: false, reason: 'cannot evaluate alerts' };
      const [first, ...more] = unreached;
      if (first === undefined) return healthy;
      const others = more.length === 0 ? '' : `, and ${more.length} more`;
      const which = `${first.alertTargetId} of workspace ${first.workspaceId}`;
      return { ok: true, reason: `alerts do not reach target ${which}${others}` };
    },
    async stop() {
      stopping.abort();
      await Promise.all([looks.stop(), messages.stop()]);
      if (!isAtWork) return;
      await endRun(client, { name: guard, runId }).catch((error: unknown) => {
        log.warn('the guard of the monitor could not be given back', { error: String(error) });
      });
    },
  };
}

const longestErrorLength = 1000;
const dayMs = 86_400_000;

function outcomeOf(told: Told): Pick<NotificationOutcome, 'error' | 'retryAfter'> {
  if (told.ok) return { error: null, retryAfter: null };
  const { reason, retryAfterMs } = told;
  return {
    error: reason.slice(0, longestErrorLength) || 'no reason was given',
    retryAfter: retryAfterMs === undefined ? null : `${Math.min(retryAfterMs, dayMs)} milliseconds`,
  };
}
