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
  endRun,
  evaluateAlerts,
  takeRun,
  type Undelivered,
  undeliveredAlerts,
} from '../db/monitor.ts';
import type { Queryable } from '../db/pool.ts';
import { DatabaseAwayError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Health, healthy, type Service } from '../service.ts';
import { startMessages } from './messages.ts';
import type { Tell } from './targets/target.ts';

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
const renewGuardMs = 5000;
/** A sign of life holds 10,000 characters. */
const mostNamed = 50;

export function startMonitor(options: MonitorOptions): Monitor {
  const { client, log, clock, tell, everyMs = lookEveryMs } = options;
  const now = (): string | undefined => options.now?.();
  const runId = randomUUID();
  let isAtWork = false;
  let renewGuardAt = 0;
  let unreached: readonly Undelivered[] = [];
  /** How often in a row the alerts of a workspace could not be evaluated. */
  const failing = new Map<string, number>();
  const unevaluated = (): string[] =>
    [...failing].filter(([, times]) => times >= 3).map(([workspaceId]) => workspaceId);

  async function evaluate({ isOver }: TurnPace): Promise<void> {
    unreached = await undeliveredAlerts(client, now());
    await takeGuard();
    if (!isAtWork) return failing.clear();
    const workspaceIds = await alertingWorkspaces(client);
    for (const workspaceId of workspaceIds) {
      // A workspace whose rows somebody has locked takes a while; others must not take us for dead meanwhile.
      if (clock.now() >= renewGuardAt) await takeGuard();
      if (isOver() || !isAtWork) return;
      await evaluateIn(workspaceId);
    }
    for (const each of failing.keys()) if (!workspaceIds.includes(each)) failing.delete(each);
    messages.ring();
  }

  async function takeGuard(): Promise<void> {
    const wasAtWork = isAtWork;
    isAtWork = await takeRun(client, { name: guard, runId, lease: guardLease }, now());
    renewGuardAt = clock.now() + renewGuardMs;
    if (isAtWork && !wasAtWork) log.info('watches over all workspaces from now on');
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
      failing.delete(workspaceId);
    } catch (error) {
      if (error instanceof DatabaseAwayError) throw error;
      failing.set(workspaceId, (failing.get(workspaceId) ?? 0) + 1);
      log.error('the alerts of a workspace cannot be evaluated', {
        workspace_id: workspaceId,
        error: String(error),
      });
    }
  }

  const messages = startMessages({ client, log, clock, tell, everyMs, now });
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
      if (messages.failures() >= 3) return { ok: false, reason: 'cannot send alerts' };
      const concerns = [
        inWords('cannot evaluate the alerts of workspace', unevaluated()),
        inWords(
          'alerts do not reach target',
          unreached.map((each) => `${each.alertTargetId} of workspace ${each.workspaceId}`),
        ),
      ].filter((each) => each !== undefined);
      return concerns.length === 0 ? healthy : { ok: true, reason: concerns.join('; ') };
    },
    facts: () => {
      const workspaceIds = unevaluated().slice(0, mostNamed);
      return workspaceIds.length === 0 ? {} : { alerts_not_evaluated: workspaceIds };
    },
    async stop() {
      await Promise.all([looks.stop(), messages.stop()]);
      if (!isAtWork) return;
      await endRun(client, { name: guard, runId }).catch((error: unknown) => {
        log.warn('the guard of the monitor could not be given back', { error: String(error) });
      });
    },
  };
}

function inWords(what: string, [first, ...more]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return `${what} ${first}${more.length === 0 ? '' : `, and ${more.length} more`}`;
}
