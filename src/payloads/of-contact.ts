// Which raw payloads of a workspace are about a person.

import { buffer } from 'node:stream/consumers';
import { listPayloads } from '../db/payloads.ts';
import type { Queryable } from '../db/pool.ts';
import type { OriginStore } from '../media/origin-store.ts';
import { holdsContact } from './holds-contact.ts';
import type { PayloadKeys } from './keys.ts';
import { createPayloadStore } from './payload-store.ts';

export interface LocatedPayload {
  readonly payloadRef: string;
  readonly objectUrl: string;
}

export interface PayloadsOfContact {
  readonly meant: readonly LocatedPayload[];
  /** Nobody can tell whether they name the contact: there is no object in this store. */
  readonly missing: readonly LocatedPayload[];
  /** The same: there is no key for them, or they are damaged. */
  readonly locked: readonly LocatedPayload[];
}

export interface ContactSearch {
  readonly client: Queryable;
  readonly objects: OriginStore;
  /** Undefined: no key is configured. */
  readonly keys: PayloadKeys | undefined;
  readonly workspaceId: string;
  readonly contact: string;
  /** Those of the deliveries and messages that name the contact: they are meant, whatever they hold. */
  readonly attached: readonly LocatedPayload[];
  /** Called with how many have been read so far. */
  readonly onRead?: ((count: number) => void) | undefined;
}

const pageSize = 500;

/** Throws when the store is away. */
export async function payloadsOfContact(search: ContactSearch): Promise<PayloadsOfContact> {
  const { client, objects, keys, workspaceId, contact } = search;
  const store = keys === undefined ? undefined : createPayloadStore(objects, keys);
  const attached = new Set(search.attached.map((each) => each.payloadRef));
  const found: Record<Verdict, LocatedPayload[]> = {
    meant: [],
    missing: [],
    locked: [],
    others: [],
  };

  async function verdictOn({ payloadRef, objectUrl }: LocatedPayload): Promise<Verdict> {
    if (attached.has(payloadRef)) return (await isThere(objects, objectUrl)) ? 'meant' : 'missing';
    if (store === undefined) return (await isThere(objects, objectUrl)) ? 'locked' : 'missing';
    const object = await store.open({ workspaceId, payloadRef }, objectUrl);
    if (object === undefined) return 'missing';
    if (!object.ok) return 'locked';
    return holdsContact(object.bytes, contact) ? 'meant' : 'others';
  }

  let after: string | undefined;
  let count = 0;
  for (;;) {
    const page = await listPayloads(client, { workspaceId, after, limit: pageSize });
    for (const { payloadRef, objectUrl } of page) {
      const located = { payloadRef, objectUrl };
      found[await verdictOn(located)].push(located);
      count += 1;
      search.onRead?.(count);
    }
    if (page.length < pageSize) return found;
    after = page.at(-1)?.payloadRef;
  }
}

type Verdict = 'meant' | 'missing' | 'locked' | 'others';

async function isThere(objects: OriginStore, objectUrl: string): Promise<boolean> {
  const bytes = await objects.open(objectUrl);
  if (bytes === undefined) return false;
  // Read to its end, so that nothing stays open.
  await buffer(bytes);
  return true;
}
