// Finds the adapter of a platform by the name that a row has.

import type { Adapter } from './adapter.ts';

/** Undefined: there is none. A row may name anything, such as `constructor`, which every object has. */
export function adapterFor(
  adapters: Readonly<Record<string, Adapter>>,
  platform: string,
): Adapter | undefined {
  return Object.hasOwn(adapters, platform) ? adapters[platform] : undefined;
}
