// POST /v1/alerts: carries one message about alerts to its target and answers with the outcome, which the caller commits.

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
import { claimOf, createSends } from './sends.ts';

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
    halted: AbortSignal,
  ): Promise<NotificationOutcome> {
    const { workspaceId, notificationId, claimToken } = claimed;
    if (await holdNotification(client, { workspaceId, notificationId, claimToken, lease })) {
      return sendMessage(tell, claimed, halted);
    }
    const error = 'the message is not held under this claim token';
    return { workspaceId, notificationId, claimToken, error, retryAfter: null };
  }

  return {
    async tell(claimed, { gone, halted }) {
      const { workspaceId, notificationId, alertTargetId, claimToken } = claimed;
      const claim = claimOf(workspaceId, notificationId, claimToken);
      const outcome = await sends.send(claim, gone, () => send(claimed, halted));
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
