// Calls the webhooks that users register with a simulator.

import type { Clock } from './clock.ts';
import type { SimulatorContext } from './simulator.ts';

const patienceMs = 60_000;
const answerBytes = 1024 * 1024;

/** A webhook that does not answer within a minute of the clock counts as silent. */
export function createWebhookCaller(clock: Clock): {
  readonly call: SimulatorContext['callWebhook'];
  /** Breaks off the calls under way; later ones reach nobody. */
  close(): void;
} {
  const underWay = new Set<AbortController>();
  let closed = false;
  return {
    async call(url, headers, body, hear) {
      if (closed) return undefined;
      const controller = new AbortController();
      underWay.add(controller);
      const cancel = clock.later(patienceMs, () => controller.abort());
      try {
        const answer = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
          redirect: 'manual',
          signal: controller.signal,
        });
        const text = (await answer.text()).slice(0, answerBytes);
        hear?.({ headers: Object.fromEntries(answer.headers), body: text });
        return answer.status;
      } catch {
        return undefined;
      } finally {
        cancel();
        underWay.delete(controller);
      }
    },
    close() {
      closed = true;
      for (const controller of underWay) controller.abort();
    },
  };
}
