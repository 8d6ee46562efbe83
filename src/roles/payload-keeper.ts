// Raw payloads as the configuration has them kept: beside the media, under the keys that it names.

import type { Queryable } from '../db/pool.ts';
import { createPayloadKeeper, type PayloadKeeper } from '../payloads/keeper.ts';
import { createPayloadStore, type PayloadStore } from '../payloads/payload-store.ts';
import { createTrouble } from '../trouble.ts';
import type { Ground } from './ground.ts';

/** Undefined when no key is configured: then none is kept, and none can be read. */
export async function openPayloadStore({
  payloadObjects,
  payloadKeys,
}: Pick<Ground, 'payloadObjects' | 'payloadKeys'>): Promise<PayloadStore | undefined> {
  const keys = await payloadKeys();
  return keys === undefined ? undefined : createPayloadStore(payloadObjects, keys);
}

export async function openPayloadKeeper(
  ground: Ground,
  client: Queryable,
): Promise<PayloadKeeper | undefined> {
  const { log, clock, payloadObjects: objects } = ground;
  const store = await openPayloadStore(ground);
  if (store === undefined) return undefined;
  const trouble = createTrouble(log, clock, {
    failed: 'raw payloads cannot be kept; all else goes on without them',
    over: 'raw payloads are kept again',
  });
  const crowd = createTrouble(log, clock, {
    failed: 'some raw payloads are left out: there are too many at once',
    over: 'no raw payload is left out any more',
  });
  return createPayloadKeeper({ client, store, objects, clock, trouble, crowd });
}
