// Sends the notifications that wait. Each is sent by itself: a target that does not answer keeps no other target waiting. A
// notification has a lease, so any number of processes send at once.

import { startChore } from '../chore.ts';
import type { Clock } from '../clock.ts';
import { type ClaimedNotification, claimNotifications, commitNotification } from '../db/monitor.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import { sendMessage } from './send-message.ts';
import type { Tell } from './targets/target.ts';

export interface MessagesOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly everyMs: number;
  /** The time to claim and commit at; undefined: the database's. */
  readonly now: () => string | undefined;
}

export interface Messages {
  /** Looks for notifications at once. */
  ring(): void;
  /** How often in a row notifications could not be claimed. */
  failures(): number;
  /** Breaks off the notifications under way, and records that. */
  stop(): Promise<void>;
}

/** Longer than any target may take, so that no other process sends the same notification meanwhile. */
const lease = '2 minutes';
const claimedAtOnce = 20;
/** More than a claim takes, so that targets which do not answer leave room for those that do. */
const mostUnderWay = 200;

export function startMessages({
  client,
  log,
  clock,
  tell,
  everyMs,
  now,
}: MessagesOptions): Messages {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  async function send(): Promise<void> {
    for (;;) {
      const limit = Math.min(claimedAtOnce, mostUnderWay - underWay.size);
      if (limit <= 0 || stopping.signal.aborted) return;
      const claimed = await claimNotifications(client, { limit, lease }, now());
      for (const each of claimed) start(each);
      if (claimed.length < limit) return;
    }
  }

  function start(claimed: ClaimedNotification): void {
    const sending = sendOne(claimed)
      .catch((error: unknown) => {
        // The lease ends, and the notification is sent again.
        log.error('what became of a notification cannot be recorded', {
          ...named(claimed),
          error: String(error),
        });
      })
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  }

  async function sendOne(claimed: ClaimedNotification): Promise<void> {
    const outcome = await sendMessage(tell, claimed, stopping.signal);
    const became = await commitNotification(client, outcome, now());
    const { error } = outcome;
    if (error === null) return;
    log.warn('a notification could not be delivered', { ...named(claimed), became, error });
  }

  const chore = startChore({
    log,
    clock,
    words: { failed: 'alerts cannot be sent', over: 'alerts are sent again' },
    everyMs,
    retryMs: everyMs,
    turn: send,
  });
  return {
    ring: () => chore.ring(),
    failures: () => chore.failures(),
    async stop() {
      stopping.abort();
      await chore.stop();
      await Promise.all(underWay);
    },
  };
}

function named({ workspaceId, alertTargetId }: ClaimedNotification) {
  return { workspace_id: workspaceId, alert_target_id: alertTargetId };
}
