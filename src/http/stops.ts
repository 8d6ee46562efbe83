// Ends exchanges when their signal comes. Many sends share a signal: a listener for each of their calls would cost more than
// the rest of the call.

import type { Exchange } from './exchange.ts';

const underWay = new WeakMap<AbortSignal, Set<Exchange>>();

/** The exchanges that the signal ends, for as long as they are in the set. */
export function stoppedBy(signal: AbortSignal): Set<Exchange> {
  const known = underWay.get(signal);
  if (known !== undefined) return known;
  const exchanges = new Set<Exchange>();
  const stop = (): void =>
    exchanges.forEach((each) => each.stop('aborted', 'the send was stopped'));
  signal.addEventListener('abort', stop, { once: true });
  underWay.set(signal, exchanges);
  return exchanges;
}
