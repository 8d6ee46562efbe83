// For brokers that take or refuse a request as a whole. A refused request is halved until the event is found that it
// was refused for. The server may have stored some of a refused request: those events are stored once more.

import type { BrokerFault, OutboxEvent, Published } from '../broker.ts';
import type { Deadline } from './deadline.ts';

/** Sends all events at once; if that is refused, the first half and then the second. */
export async function publishByHalves(
  events: readonly OutboxEvent[],
  deadline: Deadline,
  sendSome: (events: readonly OutboxEvent[]) => Promise<void>,
  faultOf: (error: unknown) => BrokerFault,
): Promise<Published[]> {
  const fault = await deadline.within(sendSome(events)).then(
    () => undefined,
    (error: unknown) => (deadline.isPassed ? deadline.fault : faultOf(error)),
  );
  if (fault === undefined) return events.map(() => ({ ok: true }));
  if (fault.kind === 'unavailable' || events.length === 1) {
    return events.map(() => ({ ok: false, fault }));
  }
  const middle = Math.ceil(events.length / 2);
  const first = await publishByHalves(events.slice(0, middle), deadline, sendSome, faultOf);
  const rest = events.slice(middle);
  // An event of the second half may have the ordering key of one that failed in the first half, and must wait for it.
  const halt = first.find((result) => !result.ok && result.fault.kind === 'unavailable');
  if (halt !== undefined) return [...first, ...rest.map(() => halt)];
  return [...first, ...(await publishByHalves(rest, deadline, sendSome, faultOf))];
}
