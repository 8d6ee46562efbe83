// Publishes many events at once, and the events of one ordering key (a sequence) one after the other. A later event of
// a key must not be stored before an earlier one that failed and will be tried again.

import { type OutboxEvent, orderingKeyOf, type Published } from '../broker.ts';
import type { Deadline } from './deadline.ts';
import { unavailable } from './faults.ts';

/** The events of one key, in order. `settle` records what became of each. */
export type Sequence = readonly SequenceEvent[];

export interface SequenceEvent {
  readonly event: OutboxEvent;
  readonly settle: (result: Published) => void;
}

/**
 * Answers when every sequence has ended or the deadline has passed. An event without a result has the deadline's fault.
 */
export async function runSequences(
  events: readonly OutboxEvent[],
  deadline: Deadline,
  atOnce: number,
  runSequence: (sequence: Sequence) => Promise<void>,
): Promise<Published[]> {
  const results = new Map<number, Published>();
  const places = events.map((event, index) => ({
    event,
    settle: (result: Published) => void results.set(index, result),
  }));
  const sequences = Map.groupBy(places, ({ event }) => orderingKeyOf(event)).values();

  // Each runner takes the next sequence that no other runner has taken.
  async function run(): Promise<void> {
    for (const sequence of sequences) {
      if (deadline.isPassed) return;
      await runSequence(sequence);
    }
  }

  const runners = Array.from({ length: Math.min(atOnce, events.length) }, run);
  await deadline.within(Promise.all(runners)).catch((error: unknown) => {
    if (!deadline.isPassed) throw error;
  });
  return events.map((_event, index) => results.get(index) ?? { ok: false, fault: deadline.fault });
}

const waits = unavailable(
  'earlier_event_waits',
  'an earlier event of the same aggregate could not be published',
);

/** Publishes event by event within each sequence. `publishOne` does not throw. */
export function publishSequences(
  events: readonly OutboxEvent[],
  deadline: Deadline,
  atOnce: number,
  publishOne: (event: OutboxEvent) => Promise<Published>,
): Promise<Published[]> {
  return runSequences(events, deadline, atOnce, (sequence) =>
    publishSequence(sequence, deadline, publishOne),
  );
}

/** Publishes event by event until one is `unavailable`; those after it then wait. */
export async function publishSequence(
  sequence: Sequence,
  deadline: Deadline,
  publishOne: (event: OutboxEvent) => Promise<Published>,
): Promise<void> {
  let isBlocked = false;
  for (const { event, settle } of sequence) {
    if (deadline.isPassed) return;
    const result: Published = isBlocked ? { ok: false, fault: waits } : await publishOne(event);
    settle(result);
    isBlocked ||= !result.ok && result.fault.kind === 'unavailable';
  }
}
