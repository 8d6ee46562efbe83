import type { Dispatcher } from './dispatcher.ts';

/** CPU of PostgreSQL for one delivery, in µs. Claims and commits run in backends of their own. */
export interface DispatchCost {
  readonly claimMicros: number;
  readonly commitMicros: number;
}

/** Runs work of a dispatcher, which returns how many deliveries it sent. Returns what each of them cost. */
export async function costOf(
  dispatcher: Dispatcher,
  work: () => Promise<number>,
): Promise<DispatchCost> {
  const before = dispatcher.cpu();
  const sent = await work();
  const after = dispatcher.cpu();
  return {
    claimMicros: (after.claimMicros - before.claimMicros) / sent,
    commitMicros: (after.commitMicros - before.commitMicros) / sent,
  };
}
