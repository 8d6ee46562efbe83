// Encrypts and decrypts raw payloads: AES-256-GCM.
//
//   "ORP" · version (1 byte) · length of the key id (1 byte) · key id · nonce (12) · ciphertext · tag (16)
//
// What stands before the nonce, the workspace and the payload's name are authenticated with it, so that no object can be
// passed off as another one.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { PayloadKey, PayloadKeys } from './keys.ts';

/** Whose payload it is, and its name. */
export interface PayloadName {
  readonly workspaceId: string;
  readonly payloadRef: string;
}

const cipher = 'aes-256-gcm';
const magic = Buffer.from('ORP\u0001');
export const nonceBytes = 12;
const tagBytes = 16;

/** The nonce is random, and used once. */
export function seal(
  name: PayloadName,
  bytes: Uint8Array,
  key: PayloadKey,
  nonce: Uint8Array,
): Buffer {
  const id = Buffer.from(key.id);
  const head = Buffer.concat([magic, Buffer.from([id.byteLength]), id]);
  const sealing = createCipheriv(cipher, key.bytes, nonce, { authTagLength: tagBytes });
  sealing.setAAD(authenticated(head, name));
  const body = Buffer.concat([sealing.update(bytes), sealing.final()]);
  return Buffer.concat([head, nonce, body, sealing.getAuthTag()]);
}

export type Unsealed =
  | { readonly ok: true; readonly bytes: Buffer }
  /** `no_key`: its key is not in the list; `damaged`: it is none of ours, was changed, or is another payload. */
  | { readonly ok: false; readonly fault: 'no_key' | 'damaged'; readonly keyId?: string };

export function unseal(name: PayloadName, object: Buffer, keys: PayloadKeys): Unsealed {
  const idLength = object[magic.byteLength] ?? 0;
  const headBytes = magic.byteLength + 1 + idLength;
  const isOurs = object.subarray(0, magic.byteLength).equals(magic);
  if (!isOurs || object.byteLength < headBytes + nonceBytes + tagBytes) {
    return { ok: false, fault: 'damaged' };
  }
  const head = object.subarray(0, headBytes);
  const keyId = head.subarray(magic.byteLength + 1).toString();
  const key = keys.find(keyId);
  if (key === undefined) return { ok: false, fault: 'no_key', keyId };
  const nonce = object.subarray(headBytes, headBytes + nonceBytes);
  const tag = object.subarray(object.byteLength - tagBytes);
  const body = object.subarray(headBytes + nonceBytes, object.byteLength - tagBytes);
  const opening = createDecipheriv(cipher, key.bytes, nonce, { authTagLength: tagBytes });
  opening.setAAD(authenticated(head, name)).setAuthTag(tag);
  try {
    return { ok: true, bytes: Buffer.concat([opening.update(body), opening.final()]) };
  } catch {
    return { ok: false, fault: 'damaged' };
  }
}

function authenticated(head: Uint8Array, { workspaceId, payloadRef }: PayloadName): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([workspaceId, payloadRef]))]);
}
