// POST /v1/alerts: carries one notification to its alert target and answers with the outcome, which the caller commits.

import type { Clock } from '../clock.ts';
import {
  type ClaimedNotification,
  holdNotification,
  type NotificationOutcome,
  notificationOutcomeAsJson,
} from '../db/monitor.ts';
import type { Queryable } from '../db/pool.ts';
import type { Answer } from '../http/answer.ts';
import { sendMessage } from '../monitor/send-message.ts';
import type { Tell } from '../monitor/targets/target.ts';
import type { Caller } from './deliver.ts';
import { claimOf, createSends, type IsWanted } from './sends.ts';

export interface Telling {
  tell(claimed: ClaimedNotification, caller: Caller): Promise<Answer>;
}

export interface TellingOptions {
  readonly client: Queryable;
  readonly tell: Tell;
  readonly clock: Clock;
}

/** Longer than it takes to tell, and to commit that. */
const lease = '2 minutes';

export function createTelling({ client, tell, clock }: TellingOptions): Telling {
  const sends = createSends<NotificationOutcome>({
    clock,
    mayHaveSent: ({ error }) => error === null,
  });

  async function send(
    claimed: ClaimedNotification,
    { isWanted, halted }: { readonly isWanted: IsWanted; readonly halted: AbortSignal },
  ): Promise<NotificationOutcome> {
    const { workspaceId, notificationId, claimToken } = claimed;
    const claim = { workspaceId, notificationId, claimToken };
    if (!(await holdNotification(client, { ...claim, lease }))) {
      const error = 'the notification is not held under this claim token';
      return { ...claim, error, retryAfter: null };
    }
    if (!isWanted()) return { ...claim, error: 'the caller has gone', retryAfter: null };
    return sendMessage(tell, claimed, halted);
  }

  return {
    async tell(claimed, { gone, halted }) {
      const { workspaceId, notificationId, alertTargetId, claimToken } = claimed;
      const claim = claimOf(workspaceId, notificationId, claimToken);
      const outcome = await sends.send(claim, gone, (isWanted) =>
        send(claimed, { isWanted, halted }),
      );
      const { error } = outcome;
      const facts = {
        workspace_id: workspaceId,
        alert_target_id: alertTargetId,
        ok: error === null,
        ...(error === null ? {} : { error }),
      };
      return { status: 200, body: notificationOutcomeAsJson(outcome), facts };
    },
  };
}
