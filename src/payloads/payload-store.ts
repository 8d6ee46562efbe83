// Keeps raw payloads in an object store, each encrypted for its workspace and name (seal.ts).

import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { OriginStore } from '../media/origin-store.ts';
import type { PayloadKeys } from './keys.ts';
import { nonceBytes, type PayloadName, seal, type Unsealed, unseal } from './seal.ts';

export interface StoredPayload {
  readonly objectUrl: string;
  readonly keyId: string;
  /** Of the payload before it was encrypted. */
  readonly sizeBytes: number;
}

export interface PayloadStore {
  /** Throws if the store cannot keep it now. */
  put(name: PayloadName, bytes: Uint8Array): Promise<StoredPayload>;
  /** Undefined if the store no longer has the object. Throws if the store cannot say whether it has it. */
  open(name: PayloadName, objectUrl: string): Promise<Unsealed | undefined>;
}

/** Longer than any request with its headers. */
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
