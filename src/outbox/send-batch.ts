// Hands the events of a batch to the broker.

import type { FetchedEvent, PublishOrder } from '../db/outbox.ts';
import type { Log } from '../log.ts';
import { type Broker, orderingKeyOf, type Published } from './broker.ts';

/** An event that was handed to the broker, and what became of it there. */
export interface Sent {
  readonly event: FetchedEvent;
  readonly result: Published;
}

export interface SendOptions {
  readonly broker: Broker;
  readonly log: Log;
  readonly order: PublishOrder;
}

/**
 * Hands events to the broker. With the order `aggregate` an event goes only after every earlier one of its aggregate is
 * stored; the broker alone would not do, since it passes over what it refuses. Events behind a failure are not in the
 * answer.
 */
export async function sendBatch(
  events: readonly FetchedEvent[],
  { broker, log, order }: SendOptions,
  signal: AbortSignal,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const blocked = new Set<string>();
  for (const wave of order === 'aggregate' ? wavesOf(events) : [events]) {
    const free = wave.filter((event) => !blocked.has(orderingKeyOf(event)));
    if (free.length === 0 || signal.aborted) break;
    const results = await publish(broker, free, log, signal);
    for (const [place, event] of free.entries()) {
      const result = results[place] ?? unanswered;
      sent.push({ event, result });
      if (!result.ok) blocked.add(orderingKeyOf(event));
    }
  }
  return sent;
}

/** The first event of every aggregate, then the second of every aggregate, and so on. */
function wavesOf(events: readonly FetchedEvent[]): FetchedEvent[][] {
  const waves: FetchedEvent[][] = [];
  for (const line of Map.groupBy(events, orderingKeyOf).values()) {
    for (const [place, event] of line.entries()) (waves[place] ??= []).push(event);
  }
  return waves;
}

const unanswered: Published = {
  ok: false,
  fault: { kind: 'unavailable', code: 'no_answer', message: 'the broker said nothing about it' },
};

// A broker does not throw. If one does all the same, its events count as failed: an event that makes it throw does not
// stop the others.
async function publish(
  broker: Broker,
  events: readonly FetchedEvent[],
  log: Log,
  signal: AbortSignal,
): Promise<Published[]> {
  try {
    return await broker.publish(events, signal);
  } catch (error) {
    log.error('the broker broke inside Outrider', { broker: broker.name, error: String(error) });
    return events.map(() => broken);
  }
}

const broken: Published = {
  ok: false,
  fault: { kind: 'unavailable', code: 'broker_broke', message: 'the broker broke inside Outrider' },
};
