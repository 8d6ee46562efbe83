// Many events at once, and those of one ordering key one after the other. A later event of a key must not
// be stored before an earlier one that failed and will be tried again.

import { type OutboxEvent, orderingKeyOf, type Published } from '../broker.ts';
import type { Deadline } from './deadline.ts';
import { unavailable } from './faults.ts';

/** The events of one key, in order, each with the way to say what became of it. */
export type Lane = readonly LaneEvent[];

export interface LaneEvent {
  readonly event: OutboxEvent;
  readonly settle: (result: Published) => void;
}

/** Answers when every lane has ended, or when time is up; what has no result then gets that of the deadline. */
export async function runLanes(
  events: readonly OutboxEvent[],
  deadline: Deadline,
  atOnce: number,
  runLane: (lane: Lane) => Promise<void>,
): Promise<Published[]> {
  const results = new Map<number, Published>();
  const places = events.map((event, index) => ({
    event,
    settle: (result: Published) => void results.set(index, result),
  }));
  const lanes = Map.groupBy(places, ({ event }) => orderingKeyOf(event)).values();

  // Each takes the next lane that nobody has taken.
  async function run(): Promise<void> {
    for (const lane of lanes) {
      if (deadline.isPassed) return;
      await runLane(lane);
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

/** Lane by lane, event by event. `publishOne` does not throw. */
export function publishInLanes(
  events: readonly OutboxEvent[],
  deadline: Deadline,
  atOnce: number,
  publishOne: (event: OutboxEvent) => Promise<Published>,
): Promise<Published[]> {
  return runLanes(events, deadline, atOnce, (lane) => publishLane(lane, deadline, publishOne));
}

/** Event by event, until one of them is unavailable: then those after it wait. */
export async function publishLane(
  lane: Lane,
  deadline: Deadline,
  publishOne: (event: OutboxEvent) => Promise<Published>,
): Promise<void> {
  let isBlocked = false;
  for (const { event, settle } of lane) {
    if (deadline.isPassed) return;
    const result: Published = isBlocked ? { ok: false, fault: waits } : await publishOne(event);
    settle(result);
    isBlocked ||= !result.ok && result.fault.kind === 'unavailable';
  }
}
