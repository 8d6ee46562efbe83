// Whether an API gives as many items at once as the configuration says. Many APIs give fewer than they were asked for: their
// first page would be taken for the last one, and nothing would tell of the others.

import type { Look } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { nothing } from './joined-page.ts';
import type { ApiKeys } from './keys.ts';
import type { ApiPage, Pages } from './pages.ts';

/** Asked once, at the first look: costs a call where the first page is not full. */
export async function requirePageSize(
  { paging }: ApiKeys,
  pages: Pages,
  look: Look,
  first: ApiPage,
): Promise<void> {
  if (paging?.by !== 'page' && paging?.by !== 'offset') return;
  const count = first.items.length;
  if (look.cursor['seen'] !== undefined || count === 0 || count >= paging.size) return;
  const place = paging.by === 'page' ? paging.first + 1 : count;
  const next = (await pages.read(place, look, undefined).catch(noneBehind)) ?? nothing;
  const shown = new Set(first.items.map(({ itemRef }) => itemRef));
  if (next.items.every(({ itemRef }) => shown.has(itemRef))) return;
  throw new SourceError(`a page has ${count} items, and size in paging says ${paging.size}`, {
    hint: `the API gives fewer items at once than that: set size to ${count}`,
  });
}

/** What an API answers behind its last page is its own business. */
function noneBehind(error: unknown): undefined {
  if (!(error instanceof SourceError)) throw error;
}
