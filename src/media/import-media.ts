// Copies the media of a raw post into the origin store, so that the post no longer depends on other servers: each
// `url` becomes a `blob_ref`. Faults of the post itself are left to intake.

import { keepMediaOrigin } from '../db/media.ts';
import type { Queryable } from '../db/pool.ts';
import { namedByAddress } from './file-name.ts';
import type { FetchedBlob, MediaFetcher } from './media-fetcher.ts';
import { notePicture } from './note-picture.ts';

export interface ImportContext {
  readonly client: Queryable;
  readonly fetcher: MediaFetcher;
}

export type Imported =
  | { readonly ok: true; readonly post: unknown }
  | { readonly ok: false; readonly fault: ImportFault };

export interface ImportFault {
  /** As in `media[2].url`. */
  readonly path: string;
  readonly code: string;
  readonly reason: string;
  /** Whether the same post may succeed later. */
  readonly transient: boolean;
}

const atOnce = 4;

/** Whether a post names media by addresses that would be fetched. */
export function namesLinks(rawPost: unknown): boolean {
  return wantedOf(rawPost).size > 0;
}

export async function importMedia(
  { client, fetcher }: ImportContext,
  workspaceId: string,
  rawPost: unknown,
  signal: AbortSignal,
): Promise<Imported> {
  const wanted = wantedOf(rawPost);
  if (!isObject(rawPost) || wanted.size === 0) return { ok: true, post: rawPost };
  const addresses = Map.groupBy(wanted.values(), ({ url }) => url);
  const { fetched, fault } = await fetchAll(fetcher, addresses, signal);
  // Recorded even if another one failed: a blob that is not recorded is never cleaned up.
  for (const { blob } of fetched.values()) {
    await keepMediaOrigin(client, { workspaceId, ...blob });
    await notePicture({ client, fetcher }, workspaceId, blob);
  }
  if (fault !== undefined) return { ok: false, fault };
  const media = mediaOf(rawPost).map((item, index) => {
    const url = wanted.get(index)?.url ?? '';
    const found = fetched.get(url);
    return isObject(item) && found !== undefined ? withBlob(item, url, found) : item;
  });
  return { ok: true, post: { ...rawPost, media } };
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mediaOf(rawPost: unknown): readonly unknown[] {
  const media = isObject(rawPost) ? rawPost['media'] : undefined;
  return Array.isArray(media) ? media : [];
}

/** A media item that names an address. */
interface Wanted {
  readonly index: number;
  readonly type: string;
  readonly url: string;
}

const pictures = /^image\/(?!svg)/; // an SVG may hold a program
const animations = /^(image\/gif|video\/mp4)$/;
const everything = /^/;

/** The content types that fit each type of media in a post. */
const fitting: ReadonlyMap<unknown, RegExp> = new Map([
  ['image', pictures],
  ['photo', pictures],
  ['animation', animations],
  ['gif', animations],
  ['video', /^video\//],
  ['audio', /^audio\//],
  ['file', everything],
  ['document', everything],
]);

/** By index. None when any item is invalid: intake refuses such a post, whatever is fetched. */
function wantedOf(rawPost: unknown): ReadonlyMap<number, Wanted> {
  const none = new Map<number, Wanted>();
  const wanted = new Map<number, Wanted>();
  const media = mediaOf(rawPost);
  if (media.length > 100) return none;
  for (const [index, item] of media.entries()) {
    if (!isObject(item)) return none;
    const { type, url = null, blob_ref: blobRef = null } = item;
    if (typeof type !== 'string' || !fitting.has(type)) return none;
    if ((url === null) === (blobRef === null)) return none;
    if (url === null) continue;
    // Intake also counts U+0085 as white space; `trim` does not.
    const address = typeof url === 'string' ? url.replaceAll('\u0085', ' ').trim() : '';
    if (!isHttp(address)) return none;
    wanted.set(index, { index, type, url: address });
  }
  return wanted;
}

function isHttp(url: string): boolean {
  return /^https?:\/\//i.test(url) && Array.from(url).length <= 2048;
}

interface FetchedAll {
  /** By address. */
  readonly fetched: ReadonlyMap<string, FetchedBlob>;
  /** The first fault; it ends the fetches under way. */
  readonly fault: ImportFault | undefined;
}

async function fetchAll(
  fetcher: MediaFetcher,
  addresses: ReadonlyMap<string, readonly Wanted[]>,
  signal: AbortSignal,
): Promise<FetchedAll> {
  const fetched = new Map<string, FetchedBlob>();
  let fault: ImportFault | undefined;
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  const waiting = addresses.entries();
  const work = async () => {
    for (const [url, items] of waiting) {
      const result = await fetchFor(fetcher, url, items, either);
      if ('blob' in result) fetched.set(url, result);
      else fault ??= result;
      if (fault !== undefined) return failing.abort();
    }
  };
  const stopping = async () => {
    try {
      await work();
    } catch (error) {
      failing.abort();
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, stopping));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return { fetched, fault };
}

/** Fetches one address, which several items may name, each as a type of its own. */
async function fetchFor(
  fetcher: MediaFetcher,
  url: string,
  items: readonly Wanted[],
  signal: AbortSignal,
): Promise<FetchedBlob | ImportFault> {
  let misfit: Wanted | undefined;
  const result = await fetcher.fetch(url, signal, (contentType) => {
    misfit = items.find(({ type }) => fitting.get(type)?.test(contentType) !== true);
    return misfit === undefined;
  });
  if (result.ok) return result;
  const { code, transient } = result;
  const reason =
    misfit === undefined
      ? result.reason
      : `${result.reason}, which is no ${misfit.type} that can be sent`;
  return { path: `media[${(misfit ?? items[0])?.index}].url`, code, reason, transient };
}

function withBlob(item: Json, url: string, { blob, filename }: FetchedBlob): Json {
  const { url: _replaced, ...others } = item;
  const isNamed = (item['filename'] ?? '') !== '';
  const name = isNamed ? undefined : (filename ?? namedByAddress(url));
  return { ...others, blob_ref: blob.blobRef, ...(name === undefined ? {} : { filename: name }) };
}
