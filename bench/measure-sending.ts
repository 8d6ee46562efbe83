import type { Contender } from './contender.ts';
import { type Measurement, measureDrain } from './measure.ts';
import type { Provider } from './provider/provider.ts';
import type { Stores } from './stores/stores.ts';

/** What it cost to send one backlog to a provider. */
export interface SendingCost extends Measurement {
  /** CPU of the provider's process, µs per delivery. */
  readonly providerCpuMicros: number;
}

/** One round of a contender that sends. The provider must have received every post, and none twice. */
export async function measureSending(
  contender: Contender,
  stores: Stores,
  provider: Provider,
  deliveries: number,
): Promise<SendingCost> {
  const store = await stores.get(contender.store);
  const before = await provider.count();
  const cpuBefore = provider.cpuMicros();
  const cost = await measureDrain(contender, store, { jobs: deliveries, statistics: true });
  const providerCpuMicros = (provider.cpuMicros() - cpuBefore) / deliveries;
  const arrived = (await provider.count()).posts - before.posts;
  if (arrived !== deliveries) {
    throw new Error(`${contender.name}: ${arrived} posts arrived instead of ${deliveries}`);
  }
  return { ...cost, providerCpuMicros };
}
