// Tells an observer of every send that is made for somebody else, who claims and commits.

import type { Outcome } from '../db/commit.ts';
import type { Observer, SendResult } from '../observer.ts';
import type { Deliver } from './deliver.ts';

export function observedDeliver(deliver: Deliver, observer: Observer): Deliver {
  if (!observer.isOn) return deliver;
  return async (workspaceId, delivery, lease) => {
    const { platform } = delivery.channel;
    const startedAt = observer.now();
    let result: SendResult = 'unknown';
    observer.sendStarted();
    try {
      const outcome = await deliver(workspaceId, delivery, lease);
      result = resultOf(outcome);
      return outcome;
    } finally {
      observer.sendEnded();
      observer.send({ startedAt, platform, result });
    }
  };
}

export function resultOf(outcome: Outcome): SendResult {
  return outcome.ok ? 'sent' : (outcome.error.outcome ?? 'unknown');
}
