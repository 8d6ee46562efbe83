// Where a blob stands in a store: under the hash of its bytes, in one of 256 folders.

import type { Draft } from './drafts.ts';
import type { StoredBlob } from './origin-store.ts';

/** As in `ab/ab01…`. */
export function placeOf(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256}`;
}

/** What of a blob's place is its hash; undefined when it is no place. */
export function hashAt(place: string): string | undefined {
  const [, prefix, sha256] = /^([0-9a-f]{2})\/([0-9a-f]{64})$/.exec(place) ?? [];
  return sha256?.startsWith(prefix ?? '?') === true ? sha256 : undefined;
}

/** The hash that an address of a store names; undefined for any other address, so that none leads out of the store. */
export function hashIn(originUrl: string, scheme: string): string | undefined {
  return originUrl.startsWith(scheme) ? hashAt(originUrl.slice(scheme.length)) : undefined;
}

export function blobOf({ sha256, sizeBytes, contentType }: Draft, scheme: string): StoredBlob {
  const originUrl = `${scheme}${placeOf(sha256)}`;
  return { blobRef: `sha256:${sha256}`, originUrl, sha256, sizeBytes, contentType };
}
