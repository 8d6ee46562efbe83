// Finds the page of an API from which a look goes on: a page that has an item which was read before. Deleted items move the
// others to earlier pages, so the page that would be next may begin after items that nobody has read.

import type { Cursor, Look } from '../source.ts';
import type { ApiKeys } from './keys.ts';
import { type ApiPage, type Pages, type Place, pageBefore } from './pages.ts';

export interface JoinedPage {
  /** Undefined when the page has not changed since the etag of the cursor. */
  readonly page: ApiPage | undefined;
  readonly place: Place;
  /** Whether the page lies before the one that was asked for. */
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
 * The page at a place, or the nearest page before it that has an item which joins, or the first page. Where an API does not
 * count its pages, the page at the place is taken as it is.
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
