// The broker for those who have none yet: each event is one line of the log, at the level `info`. It keeps nothing: an
// event is confirmed when its line is written.

import type { Log } from '../../log.ts';
import { type Broker, type OutboxEvent, type Published } from '../broker.ts';
import { closedFault, unavailable } from './faults.ts';

const stopped = unavailable('aborted', 'the call was given up');

export function createLogBroker(log: Log): Broker {
  let isClosed = false;

  function write(event: OutboxEvent): Published {
    log.info('an event was published', {
      event_id: event.eventId,
      event_type: event.eventType,
      aggregate_type: event.aggregateType,
      aggregate_id: event.aggregateId,
      created_at: event.createdAt,
      payload: readable(event.payload),
    });
    return { ok: true };
  }

  return {
    name: 'log',
    check: async () => (isClosed ? { ok: false, fault: closedFault } : { ok: true }),
    async publish(events, signal) {
      if (isClosed) return events.map(() => ({ ok: false, fault: closedFault }));
      if (signal.aborted) return events.map(() => ({ ok: false, fault: stopped }));
      return events.map(write);
    },
    async close() {
      isClosed = true;
    },
  };
}

// JSON within the JSON of the line, instead of a text with escapes.
function readable(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
