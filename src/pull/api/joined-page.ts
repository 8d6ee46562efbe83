// The page of an API from which a look goes on: one that joins what was read before. Items that were deleted meanwhile have
// moved the others to earlier pages, so the page that would be next may begin behind some that nobody has read.

import type { Cursor, Look } from '../source.ts';
import type { ApiKeys } from './keys.ts';
import { type ApiPage, type Pages, type Place, pageBefore } from './pages.ts';

export interface JoinedPage {
  /** Undefined: it is what the cursor has. */
  readonly page: ApiPage | undefined;
  readonly place: Place;
  /** Whether it is another one than that at the place. */
  readonly isEarlier: boolean;
  /** False when a look may not read so many pages: the next one goes on from `place`. */
  readonly isJoined: boolean;
}

interface From {
  readonly from: Place;
  /** Whether an item was read on the way to the place. */
  readonly joins: (itemRef: string) => boolean;
  readonly etag?: string | undefined;
}

export const nothing: ApiPage = { items: [], next: undefined, etag: undefined };

/**
 * The page at a place, or the nearest one before it that has an item which joins, or the first one. An API that does not count its
 * pages is taken at its word.
 */
export async function joinedPage(
  config: ApiKeys,
  pages: Pages,
  look: Look,
  { from, joins, etag }: From,
): Promise<JoinedPage> {
  let place = from;
  for (let reads = 0; ; reads += 1) {
    const page = await pages.read(place, look, reads === 0 ? etag : undefined);
    const previous = pageBefore(config, place);
    const isJoined =
      page === undefined ||
      previous === undefined ||
      page.items.some(({ itemRef }) => joins(itemRef));
    if (isJoined) return { page, place, isEarlier: reads > 0, isJoined };
    place = previous;
    if (reads + 1 === config.max_pages) return { page, place, isEarlier: true, isJoined };
  }
}

export function etagIn({ etag }: Cursor): string | undefined {
  return typeof etag === 'string' && /^[\x20-\x7e]{1,1000}$/.test(etag) ? etag : undefined;
}
