// The keys of raw payloads: `id:base64key[,id:base64key…]`, 32 bytes each. The first one encrypts, all of them decrypt.

import { OutriderError } from '../errors.ts';
import type { Secrets } from '../secrets.ts';

export interface PayloadKey {
  readonly id: string;
  readonly bytes: Buffer;
}

export interface PayloadKeys {
  /** Encrypts. */
  readonly current: PayloadKey;
  /** Undefined: it is not in the list any more. */
  find(id: string): PayloadKey | undefined;
}

const variable = 'OUTRIDER_PAYLOAD_KEY_REF';
const hint =
  'its secret is a list id:base64key[,id:base64key…], each key of 32 bytes, such as k1:$(openssl rand -base64 32)';

/** Undefined when no key is configured: then nothing is kept. Throws when the list cannot be read. */
export async function readPayloadKeys(
  ref: string | undefined,
  secrets: Pick<Secrets, 'ofReference'>,
): Promise<PayloadKeys | undefined> {
  if (ref === undefined) return undefined;
  const read = await secrets.ofReference(ref, variable);
  if (!read.ok) throw new OutriderError('configuration', `${variable}: ${read.reason}`, { hint });
  return parsePayloadKeys(read.secret);
}

export function parsePayloadKeys(list: string): PayloadKeys {
  const keys = list.split(',').map((entry, index) => keyOf(entry.trim(), index + 1));
  const [current] = keys;
  if (current === undefined) throw fault('holds no key');
  const twice = keys.find(({ id }, index) => keys.findIndex((key) => key.id === id) < index);
  if (twice !== undefined) throw fault(`has two keys with the id ${twice.id}`);
  return { current, find: (id) => keys.find((key) => key.id === id) };
}

/** Nothing of a faulty entry is quoted: it may be a key, put in the wrong place. */
function keyOf(entry: string, place: number): PayloadKey {
  const [, id, text] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? [];
  if (id === undefined || text === undefined) {
    throw fault(`has an entry (number ${place}) that is not id:base64key`);
  }
  const bytes = Buffer.from(text, 'base64');
  if (bytes.byteLength !== 32) {
    throw fault(`has a key (${id}) of ${bytes.byteLength} bytes; 32 are needed`);
  }
  return { id, bytes };
}

function fault(what: string): OutriderError {
  return new OutriderError('configuration', `the secret of ${variable} ${what}`, { hint });
}
