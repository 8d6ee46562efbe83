// Fetches media from the addresses in a post, straight into the origin store. If anything fails, nothing is kept.

import { OutriderError } from '../errors.ts';
import type { FetchFaultCode } from '../http/fetch-fault.ts';
import { createGuardedFetch, type GuardedFetchOptions } from '../http/guarded-fetch.ts';
import type { Log } from '../log.ts';
import { contentTypeOf, headBytes } from './content-type.ts';
import { namedByHeader } from './file-name.ts';
import type { OriginStore, StoredBlob } from './origin-store.ts';
import { pictureHashOf } from './picture-hash.ts';

export interface MediaFetcherOptions extends GuardedFetchOptions {
  readonly store: OriginStore;
  readonly log?: Log | undefined;
}

export interface MediaFetcher {
  /** `fits` judges the type that the first bytes show, before anything is kept. */
  fetch(
    url: string,
    signal: AbortSignal,
    fits?: (contentType: string) => boolean,
  ): Promise<Fetched>;
  /** What a stored picture looks like; undefined when it cannot be told. */
  pictureHash(blob: StoredBlob): Promise<string | undefined>;
  /** Stops the fetches under way. */
  close(): Promise<void>;
}

export type Fetched = FetchedBlob | NotFetched;

export interface FetchedBlob {
  readonly ok: true;
  readonly blob: StoredBlob;
  /** What the server calls the file. */
  readonly filename?: string | undefined;
}

export interface NotFetched {
  readonly ok: false;
  readonly code: FetchFaultCode | UnfitCode;
  /** A sentence that names the host, and nothing else of the address. */
  readonly reason: string;
  /** Whether the same address may work later. */
  readonly transient: boolean;
}

export function createMediaFetcher(options: MediaFetcherOptions): MediaFetcher {
  const { store, maxBytes, log } = options;
  const guarded = createGuardedFetch(options);
  let hasWarned = false; // once is enough
  return {
    async fetch(url, signal, fits = () => true) {
      const fetched = await guarded.fetch(url, signal, async ({ host, headers, bytes }) => {
        const kept = await store.put(fitting(bytes, fits, host), { maxBytes }).catch(unfit);
        if ('ok' in kept) return kept;
        const filename = namedByHeader([headers['content-disposition'] ?? ''].flat().join());
        return { ok: true, blob: kept, filename } as const;
      });
      if (fetched.ok) return fetched.taken;
      const { code, reason } = fetched;
      if (code === 'address_refused' || code === 'url_refused')
        log?.warn('media were not fetched', { code, reason });
      return fetched;
    },
    async pictureHash({ originUrl }) {
      try {
        const bytes = await store.open(originUrl);
        return bytes === undefined ? undefined : await pictureHashOf(bytes);
      } catch (error) {
        if (!hasWarned) log?.warn('pictures are not compared', { reason: reasonOf(error) });
        hasWarned = true;
        return undefined;
      }
    },
    close: () => guarded.close(),
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof OutriderError)) return 'the store cannot be read';
  return `${error.message}; ${error.hint ?? ''}`;
}

type UnfitCode = 'empty' | 'wrong_type';

/** The bytes are not the medium that was wanted. Never leaves the fetcher. */
class UnfitError extends Error {
  readonly code: UnfitCode;

  constructor(code: UnfitCode, reason: string) {
    super(reason);
    this.name = 'UnfitError';
    this.code = code;
  }
}

function unfit(error: unknown): NotFetched {
  if (!(error instanceof UnfitError)) throw error;
  return { ok: false, code: error.code, reason: error.message, transient: false };
}

/** Passes the bytes on once the first of them have shown a type that fits. */
async function* fitting(
  bytes: AsyncIterable<Uint8Array>,
  fits: (contentType: string) => boolean,
  host: string,
): AsyncGenerator<Uint8Array> {
  const head: Uint8Array[] = [];
  let size = 0;
  const judge = () => {
    const type = contentTypeOf(Buffer.concat(head).subarray(0, headBytes));
    if (!fits(type)) throw new UnfitError('wrong_type', `${host} sends ${inWords(type)}`);
  };
  for await (const chunk of bytes) {
    const isJudged = size >= headBytes;
    size += chunk.byteLength;
    if (isJudged) yield chunk;
    else head.push(chunk);
    if (isJudged || size < headBytes) continue;
    judge();
    yield* head;
  }
  if (size === 0) throw new UnfitError('empty', `${host} sends an empty file`);
  if (size >= headBytes) return;
  judge();
  yield* head;
}

function inWords(contentType: string): string {
  return contentType === 'application/octet-stream' ? 'bytes of no known type' : contentType;
}
