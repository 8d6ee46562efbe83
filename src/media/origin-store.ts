// Where the bytes of media are kept, for all platforms alike.

import { OutriderError } from '../errors.ts';

/** A blob in the store; the same bytes are one blob. */
export interface StoredBlob {
  readonly blobRef: string;
  readonly originUrl: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** As the first bytes show. */
  readonly contentType: string;
}

export interface OriginStore {
  /**
   * Makes the place for blobs; a service that takes media in calls it first. Throws StoreAwayError when no blob can be
   * kept there.
   */
  prepare(): Promise<void>;
  /**
   * Copies bytes in. Throws TooLargeError past the limit, StoreAwayError when blobs cannot be kept now, and what the
   * source throws. Then nothing is kept.
   */
  put(source: AsyncIterable<Uint8Array>, limit: { maxBytes: number }): Promise<StoredBlob>;
  /**
   * Undefined when the bytes are gone, or when the address is not one of this store. Throws when nobody can tell:
   * a store that is away for a while has lost nothing.
   */
  open(originUrl: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** No error when it is gone already. */
  remove(originUrl: string): Promise<void>;
  /** All blobs, those that were set aside included. Some that come or go meanwhile may be missing. */
  list(): AsyncIterable<ListedBlob>;
  /**
   * Takes a blob out of its place. `open` still finds it, and a `put` of the same bytes makes it anew. No error when it
   * is gone already.
   */
  setAside(originUrl: string): Promise<void>;
  /** Puts a blob back that was set aside. */
  restore(originUrl: string): Promise<void>;
  /** Removes a blob that was set aside; what stands in its place stays. */
  discard(originUrl: string): Promise<void>;
}

export interface ListedBlob {
  readonly originUrl: string;
  readonly sizeBytes: number;
  /** Since it was put or set aside, by the clock of the store. */
  readonly ageMs: number;
  readonly isAside: boolean;
}

export class TooLargeError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.name = 'TooLargeError';
    this.maxBytes = maxBytes;
  }
}

/** The place for blobs is not there, or we may not write to it. */
export class StoreAwayError extends OutriderError {
  constructor(message: string, hint: string) {
    super('store_away', message, { hint });
  }
}
