// POST /v1/alerts: carries one message about alerts to its target and answers with the outcome, which the caller commits.

import type { Clock } from '../clock.ts';
import {
  type ClaimedNotification,
  type NotificationOutcome,
  notificationOutcomeAsJson,
} from '../db/monitor.ts';
import type { Answer } from '../http/answer.ts';
import { sendMessage } from '../monitor/send-message.ts';
import type { Tell } from '../monitor/targets/target.ts';
import type { Caller } from './deliver.ts';
import { createSends } from './sends.ts';

export interface Telling {
  tell(claimed: ClaimedNotification, caller: Caller): Promise<Answer>;
}

export function createTelling(tell: Tell, clock: Clock): Telling {
  const sends = createSends<NotificationOutcome>({
    clock,
    mayHaveSent: ({ error }) => error === null,
  });
  return {
    async tell(claimed, { gone, halted }) {
      const { workspaceId, notificationId, alertTargetId, claimToken } = claimed;
      const claim = `${workspaceId} ${notificationId} ${claimToken}`;
      const outcome = await sends.send(claim, gone, () => sendMessage(tell, claimed, halted));
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
