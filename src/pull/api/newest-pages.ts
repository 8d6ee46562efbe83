// The pages of a list that has its newest items first. A look reads from the first page until a page brings nothing new. When
// that takes more pages than a look may read, the next looks go on with the older ones, until they come to what was known
// before.

import { type List, olderIn } from '../list-chunks.ts';
import type { SeenItems } from '../seen-items.ts';
import type { Look } from '../source.ts';
import { etagIn, joinedPage, nothing } from './joined-page.ts';
import type { ApiKeys } from './keys.ts';
import { requirePageSize } from './page-size.ts';
import { type ApiPage, type Pages, type Place, pageBefore } from './pages.ts';

/** The most new items whose digests fit into a cursor beside enough of those that were known before. */
const mostOlder = 4000;
/** The most looks in a row that may find nothing new on the way to what was known. */
const mostIdle = 10;

export async function readNewest(
  config: ApiKeys,
  pages: Pages,
  look: Look,
  seen: SeenItems,
): Promise<List | undefined> {
  const older = olderIn(look.cursor);
  if (older !== undefined) return readOlder(config, pages, look, { ...older, seen });
  const first = await pages.read(undefined, look, etagIn(look.cursor));
  if (first === undefined) return undefined;
  await requirePageSize(config, pages, look, first);
  const read = [first];
  let page = first;
  while (page.next !== undefined && !page.items.every(({ itemRef }) => seen.has(itemRef))) {
    if (read.length === config.max_pages) break;
    page = (await pages.read(page.next, look, undefined)) ?? nothing;
    if (isSame(page, read.at(-1))) break;
    read.push(page);
  }
  const isFirstLook = look.cursor['seen'] === undefined;
  const isJoined = read.some((each, index) => joins(each, index === 0, seen));
  const isCut = read.length === config.max_pages && page === read.at(-1) && !isJoined;
  const items = read.flatMap((each) => each.items);
  const next = isCut && !isFirstLook ? page.next : undefined;
  return {
    items: config.order === 'newest_first' ? items.toReversed() : items,
    version: first.etag === undefined || next !== undefined ? {} : { etag: first.etag },
    ...(next === undefined
      ? {}
      : { older: { meanwhile: next, afterwards: next, idle: 0 }, goesOn: true }),
  };
}

interface Older {
  readonly place: Place;
  readonly idle: number;
  /** How many of `seen` were handed out since the known part was missed. */
  readonly count: number;
  readonly seen: SeenItems;
}

async function readOlder(
  config: ApiKeys,
  pages: Pages,
  look: Look,
  { place: from, idle, count, seen }: Older,
): Promise<List> {
  const closed = { meanwhile: from, afterwards: undefined, idle };
  if (count >= mostOlder || idle >= mostIdle) {
    const lost = `more is new than can be followed (${count} items since what was known): what is older was passed over`;
    return { items: [], version: {}, older: closed, goesOn: true, lost };
  }
  const before = seen.withoutNewest(count);
  const {
    page: start = nothing,
    place,
    isJoined,
  } = await joinedPage(config, pages, look, {
    from,
    joins: (itemRef) => seen.has(itemRef) && !before.has(itemRef),
  });
  if (!isJoined) {
    const older = { meanwhile: from, afterwards: place, idle: idle + 1 };
    return { items: [], version: {}, older, goesOn: true };
  }
  const read = [start];
  let page = start;
  while (page.next !== undefined && read.length <= config.max_pages) {
    if (joins(page, false, before)) break;
    page = (await pages.read(page.next, look, undefined)) ?? nothing;
    if (isSame(page, read.at(-1))) break;
    read.push(page);
  }
  const isOver =
    page.next === undefined ||
    page !== read.at(-1) ||
    read.some((each, index) => joins(each, index === 0 && isFirst(config, place), before));
  const items = read.flatMap((each) => each.items).toReversed();
  const isIdle = items.every(({ itemRef }) => seen.has(itemRef));
  return {
    items,
    version: {},
    older: {
      meanwhile: from,
      afterwards: isOver ? undefined : page.next,
      idle: isIdle ? idle + 1 : 0,
    },
    goesOn: isOver || !isIdle,
  };
}

/** Whether a page has items that were known. On the first one they may be pinned above newer ones. */
function joins({ items }: ApiPage, isFirstPage: boolean, known: SeenItems): boolean {
  return (isFirstPage ? items.slice(-1) : items).some(({ itemRef }) => known.has(itemRef));
}

function isFirst(config: ApiKeys, place: Place): boolean {
  return typeof place === 'number' && pageBefore(config, place) === undefined;
}

/** An API that does not know the parameter answers with the first page for ever. */
function isSame(page: ApiPage, before: ApiPage | undefined): boolean {
  return before !== undefined && page.items.length > 0 && refsOf(page) === refsOf(before);
}

function refsOf({ items }: ApiPage): string {
  return JSON.stringify(items.map(({ itemRef }) => itemRef));
}
