// JSON over HTTP: a list somewhere in the answer, items by paths, pages by one of four ways.

import { mayHaveSecretsOf } from '../../http/secret-holder.ts';
import { etagIn, type JoinedPage, joinedPage, nothing } from '../api/joined-page.ts';
import { type ApiKeys, apiKeys } from '../api/keys.ts';
import { readNewest } from '../api/newest-pages.ts';
import { requirePageSize } from '../api/page-size.ts';
import { createPages, type Pages, type Place } from '../api/pages.ts';
import { ListChunks } from '../list-chunks.ts';
import { mostSeen, SeenItems } from '../seen-items.ts';
import type { Chunk, Cursor, Look, Source, SourceItem, SourceKind } from '../source.ts';

export const api: SourceKind<typeof apiKeys> = {
  name: 'api',
  keys: apiKeys,
  open(config, means): Source {
    const pages = createPages(config, means);
    const chunks = new ListChunks({
      read: (look, seen) => readNewest(config, pages, look, seen),
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

/** New items stand on the last page. Goes on where the last look ended, and reads the last page until there is another. */
async function lookOnwards(config: ApiKeys, pages: Pages, look: Look): Promise<Chunk> {
  let seen = SeenItems.read(look.cursor['seen']);
  const start = await startOf(config, pages, look, seen);
  if (start.page === undefined) return { items: [], cursor: look.cursor, hasMore: false };
  let { page, place } = start;
  let etag: string | undefined;
  let hasMore = !start.isJoined;
  const items: SourceItem[] = [];
  // An earlier page is only read to find what follows it, so it does not count.
  for (let count = start.isEarlier ? -1 : 0; start.isJoined; count += 1) {
    const known = seen;
    const fresh = page.items.slice(-mostSeen).filter(({ itemRef }) => !known.has(itemRef));
    const taken = fresh.slice(0, look.limit - items.length);
    items.push(...taken);
    seen = seen.with(taken.map(({ itemRef }) => itemRef));
    const isWhole = taken.length === fresh.length;
    const isLast = page.next === undefined;
    // A page without items stays so when deletions move new ones before it.
    etag = isWhole && isLast && page.items.length > 0 ? page.etag : undefined;
    // A look that brings nothing ends the pull, however many pages there are; the next one goes on from here.
    hasMore = items.length > 0 && !(isWhole && isLast);
    if (!isWhole || page.next === undefined) break;
    place = page.next;
    if (items.length === look.limit || count + 1 >= config.max_pages) break;
    page = (await pages.read(place, look, undefined)) ?? nothing;
  }
  const cursor = {
    seen: seen.written(),
    ...(place === undefined ? {} : { place }),
    ...(etag === undefined ? {} : { etag }),
  };
  return { items, cursor, hasMore };
}

type Start = Omit<JoinedPage, 'place'> & { readonly place: Place | undefined };

/** The page from which a look goes on. */
async function startOf(config: ApiKeys, pages: Pages, look: Look, seen: SeenItems): Promise<Start> {
  const { place: from, etag } = endOf(look.cursor, config);
  if (from !== undefined)
    return joinedPage(config, pages, look, { from, joins: (ref) => seen.has(ref), etag });
  const page = await pages.read(undefined, look, etag);
  if (page !== undefined) await requirePageSize(config, pages, look, page);
  return { page, place: undefined, isEarlier: false, isJoined: true };
}

/** Where the last look ended. An address that the secret may not go to is of another url: the list is read from its beginning. */
function endOf(cursor: Cursor, { url, paging }: ApiKeys): { place?: Place; etag?: string } {
  const { place } = cursor;
  const etag = etagIn(cursor);
  const version = etag === undefined ? {} : { etag };
  if (typeof place !== 'string' && typeof place !== 'number') return version;
  if (paging?.by !== 'link') return { place, ...version };
  const address = URL.parse(String(place));
  const isOurs = address !== null && mayHaveSecretsOf(new URL(url), address);
  return isOurs ? { place, ...version } : {};
}
