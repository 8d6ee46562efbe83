// JSON over HTTP: a list somewhere in the answer, items by paths, pages by one of four ways.

import { type ApiKeys, apiKeys } from '../api/keys.ts';
import { createPages, type Pages, type Place } from '../api/pages.ts';
import { type List, ListChunks } from '../list-chunks.ts';
import { mostSeen, SeenItems } from '../seen-items.ts';
import type { Chunk, Cursor, Look, Source, SourceItem, SourceKind } from '../source.ts';

export const api: SourceKind<typeof apiKeys> = {
  name: 'api',
  keys: apiKeys,
  open(config, means): Source {
    const pages = createPages(config, means);
    const chunks = new ListChunks({
      read: (look, seen) => readList(config, pages, look, seen),
      forgets: config.paging === undefined,
    });
    const isGrowing = config.paging !== undefined && config.order === 'oldest_first';
    return {
      look: (look) => (isGrowing ? lookOnwards(config, pages, look) : chunks.look(look)),
      async close() {
        chunks.forgetRest();
        await pages.close();
      },
    };
  },
};

/**
 * New items stand on the first page. Reads from there until a page brings nothing new. Pages that shift while they are read
 * show an item twice, and skip none.
 */
async function readList(
  { max_pages: most, order }: ApiKeys,
  pages: Pages,
  look: Look,
  seen: SeenItems,
): Promise<List | undefined> {
  const first = await pages.read(undefined, look, etagIn(look.cursor));
  if (first === undefined) return undefined;
  const items = [...first.items];
  let page = first;
  for (let count = 1; count < most; count += 1) {
    if (page.next === undefined || page.items.every(({ itemRef }) => seen.has(itemRef))) break;
    page = (await pages.read(page.next, look, undefined)) ?? first;
    items.push(...page.items);
  }
  return {
    items: order === 'newest_first' ? items.toReversed() : items,
    version: first.etag === undefined ? {} : { etag: first.etag },
  };
}

/** New items stand on the last page. Goes on where the last look ended, and reads the last page until there is another. */
async function lookOnwards({ max_pages: most }: ApiKeys, pages: Pages, look: Look): Promise<Chunk> {
  let seen = SeenItems.read(look.cursor['seen']);
  let place = placeIn(look.cursor);
  let etag: string | undefined;
  let hasMore = false;
  const items: SourceItem[] = [];
  for (let count = 0; count < most; count += 1) {
    const page = await pages.read(place, look, count === 0 ? etagIn(look.cursor) : undefined);
    if (page === undefined) return { items: [], cursor: look.cursor, hasMore: false };
    const known = seen;
    const fresh = page.items.slice(-mostSeen).filter(({ itemRef }) => !known.has(itemRef));
    const taken = fresh.slice(0, look.limit - items.length);
    items.push(...taken);
    seen = seen.with(taken.map(({ itemRef }) => itemRef));
    const isWhole = taken.length === fresh.length;
    const isLast = page.next === undefined;
    etag = isWhole && isLast ? page.etag : undefined;
    // A look that brings nothing ends the pull, however many pages there are; the next one goes on from here.
    hasMore = items.length > 0 && !(isWhole && isLast);
    if (!isWhole || isLast) break;
    place = page.next;
    if (items.length === look.limit) break;
  }
  const cursor = {
    seen: seen.written(),
    ...(place === undefined ? {} : { place }),
    ...(etag === undefined ? {} : { etag }),
  };
  return { items, cursor, hasMore };
}

function placeIn({ place }: Cursor): Place | undefined {
  return typeof place === 'string' || typeof place === 'number' ? place : undefined;
}

function etagIn({ etag }: Cursor): string | undefined {
  return typeof etag === 'string' && /^[\x20-\x7e]{1,1000}$/.test(etag) ? etag : undefined;
}
