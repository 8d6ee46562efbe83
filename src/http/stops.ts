// Stops exchanges when their signal is aborted. Many sends share a signal: a listener for each of their calls would
// cost more than the rest of the call.

import type { Exchange } from './exchange.ts';

const underWay = new WeakMap<AbortSignal, Set<Exchange>>();

/** The set of exchanges that the signal stops. Add an exchange when it begins, delete it when it has ended. */
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
