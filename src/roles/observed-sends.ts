// Tells an observer of the replies of bots, and of events that go to a broker.

import type { SendReply } from '../bot/send-reply.ts';
import type { Observer, SendResult } from '../observer.ts';
import type { Broker } from '../outbox/broker.ts';

export function observedReply(send: SendReply, observer: Observer): SendReply {
  if (!observer.isOn) return send;
  return async (reply, held) => {
    const startedAt = observer.now();
    let result: SendResult = 'unknown';
    try {
      const outcome = await send(reply, held);
      result = outcome.ok ? 'sent' : (outcome.error.outcome ?? 'unknown');
      return outcome;
    } finally {
      observer.reply({ startedAt, platform: reply.platform, result });
    }
  };
}

export function observedBroker(broker: Broker, observer: Observer): Broker {
  if (!observer.isOn) return broker;
  return {
    name: broker.name,
    place: broker.place,
    check: (signal) => broker.check(signal),
    async publish(events, signal) {
      const startedAt = observer.now();
      const answers = await broker.publish(events, signal);
      const published = answers.filter(({ ok }) => ok).length;
      observer.publish({ startedAt, published, failed: events.length - published });
      return answers;
    },
    close: () => broker.close(),
  };
}
