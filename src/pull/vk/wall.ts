// Reads what is new on one wall. VK lists the newest first, after the pinned post, which may be of any age. It counts pages
// from the top, so the posts move while they are read: a new one pushes them down, a deleted one pulls them up. Pages
// therefore overlap, and a page that does not join the one before is read again from further up.

import { z } from 'zod';
import { SourceError } from '../source-error.ts';
import { type Answer, callVk, type VkAccess } from './call.ts';
import type { Wall } from './owner.ts';
import { readPosts, type WallPost } from './wall-post.ts';

/** How far a wall was read: to the posts of one second. */
export interface Mark {
  readonly date: number;
  /** Those of that second that were read. */
  readonly ids: readonly number[];
}

export interface WallRequest {
  readonly filter: string;
  /** How many posts the first look takes. */
  readonly backfill: number;
  readonly isWanted: (post: WallPost) => boolean;
  /** Whether so much time is over that no further page should be read. */
  readonly isLate: () => boolean;
}

const Page = z.object({
  count: z.int().optional().catch(undefined),
  items: z.array(z.unknown()).transform((items) => readPosts(items)),
});
const pageSize = 100;
const overlap = 5;

/** Oldest first. Without a mark: the newest that are wanted, as many as the request says, and what lies between them. */
export async function newPosts(
  access: VkAccess,
  wall: Wall,
  mark: Mark | undefined,
  request: WallRequest,
): Promise<Answer<readonly WallPost[]>> {
  const isEnough =
    mark === undefined
      ? (posts: readonly WallPost[]) =>
          inTime(posts).filter(request.isWanted).length >= request.backfill || request.isLate()
      : (posts: readonly WallPost[]) => inTime(posts).some((post) => post.date < mark.date);
  const read = await readBack(access, wall, request, isEnough);
  if (!read.ok) return read;
  const posts = read.value.toSorted((a, b) => a.date - b.date || a.id - b.id);
  if (mark !== undefined) return { ok: true, value: posts.filter((post) => isAfter(mark, post)) };
  const wanted = posts.filter(request.isWanted);
  const first = wanted.at(-request.backfill);
  if (request.backfill === 0 || first === undefined) return { ok: true, value: posts };
  return { ok: true, value: posts.slice(posts.indexOf(first)) };
}

/** A pinned post says nothing about how far down the list was read. */
function inTime(posts: readonly WallPost[]): readonly WallPost[] {
  return posts.filter((post) => !post.is_pinned);
}

function isAfter({ date, ids }: Mark, post: WallPost): boolean {
  return post.date > date || (post.date === date && !ids.includes(post.id));
}

/** The mark after a post. */
export function markAfter(mark: Mark | undefined, { date, id }: WallPost): Mark {
  if (mark === undefined || date > mark.date) return { date, ids: [id] };
  return date === mark.date ? { date, ids: [...mark.ids, id] } : mark;
}

async function readBack(
  access: VkAccess,
  wall: Wall,
  { filter, isLate }: WallRequest,
  isEnough: (posts: readonly WallPost[]) => boolean,
): Promise<Answer<readonly WallPost[]>> {
  const found = new Map<number, WallPost>();
  let offset = 0;
  for (;;) {
    if (found.size > 0 && isLate()) return tooMuch(found.size);
    const parameters = { ...wall.parameters, filter, count: pageSize, offset };
    const page = await callVk(access, 'wall.get', parameters, Page);
    if (!page.ok) return page;
    const { items, count } = page.value;
    const joins = offset === 0 || items.length === 0 || items.some((post) => found.has(post.id));
    if (!joins) {
      offset = Math.max(0, offset - pageSize / 2);
      continue;
    }
    const before = found.size;
    for (const post of items) found.set(post.id, post);
    // Where VK does not say how many there are, a page with nothing new is the last.
    const isLast = count === undefined ? found.size === before : offset + items.length >= count;
    const isEnd = items.length === 0 || isLast;
    if (isEnd || isEnough([...found.values()])) return { ok: true, value: [...found.values()] };
    offset += Math.max(1, items.length - overlap);
  }
}

/** Half of what is new cannot be handed over: the older half would lie behind the mark. */
function tooMuch(posts: number): Answer<never> {
  const error = new SourceError(`more is new than could be read in time, after ${posts} posts`, {
    hint: 'give its token a faster pace, or fewer walls',
  });
  return { ok: false, error, isOfWall: true };
}
