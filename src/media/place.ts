// Where a store keeps a blob: under the hash of its bytes, in one of 256 folders, so that no folder holds too many.

import type { Draft } from './drafts.ts';
import type { StoredBlob } from './origin-store.ts';

/** Such as `ab/ab01…`. */
export function placeOf(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256}`;
}

/** The hash of the blob at a place; undefined if no blob can be there. */
export function hashAt(place: string): string | undefined {
  return /^([0-9a-f]{2})\/(\1[0-9a-f]{62})$/.exec(place)?.[2];
}

/** The hash in an address of the store; undefined for any other address, so that none leads out of the store. */
export function hashIn(originUrl: string, scheme: string): string | undefined {
  return originUrl.startsWith(scheme) ? hashAt(originUrl.slice(scheme.length)) : undefined;
}

export function blobOf({ sha256, sizeBytes, contentType }: Draft, scheme: string): StoredBlob {
  const originUrl = `${scheme}${placeOf(sha256)}`;
  return { blobRef: `sha256:${sha256}`, originUrl, sha256, sizeBytes, contentType };
}
