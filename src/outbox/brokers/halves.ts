// For brokers that take or refuse a request as a whole: it is halved until the event is found that is the
// reason. What the server had already stored of a refused request is then stored once more.

import type { BrokerFault, OutboxEvent, Published } from '../broker.ts';
import type { Deadline } from './deadline.ts';

/** All at once; if that is refused, the first half and then the second. */
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
  // What failed in the first half may be of a key that goes on in the second.
  const halt = first.find((result) => !result.ok && result.fault.kind === 'unavailable');
  if (halt !== undefined) return [...first, ...rest.map(() => halt)];
  return [...first, ...(await publishByHalves(rest, deadline, sendSome, faultOf))];
}
