// Raw payloads in an object store, encrypted.

import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { OriginStore } from '../media/origin-store.ts';
import type { PayloadKeys } from './keys.ts';
import { nonceBytes, type PayloadName, seal, type Unsealed, unseal } from './seal.ts';

export interface PutPayload {
  readonly objectUrl: string;
  readonly keyId: string;
  readonly sizeBytes: number;
}

export interface PayloadStore {
  /** Throws when it cannot be kept now. */
  put(name: PayloadName, bytes: Uint8Array): Promise<PutPayload>;
  /** Undefined when the object is gone. Throws when nobody can tell. */
  open(name: PayloadName, objectUrl: string): Promise<Unsealed | undefined>;
}

/** More than a request and its headers can have. */
const maxBytes = 100 * 1024 * 1024;

export function createPayloadStore(store: OriginStore, keys: PayloadKeys): PayloadStore {
  return {
    async put(name, bytes) {
      const { current } = keys;
      const object = seal(name, bytes, current, randomBytes(nonceBytes));
      const { originUrl } = await store.put(onePiece(object), { maxBytes });
      return { objectUrl: originUrl, keyId: current.id, sizeBytes: bytes.byteLength };
    },
    async open(name, objectUrl) {
      const object = await store.open(objectUrl);
      return object === undefined ? undefined : unseal(name, await buffer(object), keys);
    },
  };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
