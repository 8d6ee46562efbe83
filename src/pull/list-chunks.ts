// Chunks of a list that is read anew at every look: a feed, the newest pages of an API. A look hands out what was not handed
// out before. Between the chunks of one list it is not read again.

import { z } from 'zod';
import { mostSeen, SeenItems } from './seen-items.ts';
import type { Chunk, Cursor, Look, SourceItem } from './source.ts';

export interface List {
  /** Oldest first. */
  readonly items: readonly SourceItem[];
  /** What the cursor says about this version of the list once all of it is handed out. */
  readonly version: Readonly<Record<string, string>>;
  /** Where further items stand that are older than these, if some do. */
  readonly older?: OlderItems | undefined;
  /** Whether another look has to follow at once when all of this is handed out. */
  readonly goesOn?: boolean | undefined;
  /** What was passed over, in words. */
  readonly lost?: string | undefined;
}

/** Where a later look goes on with older items: while this list is handed out, and afterwards. */
export interface OlderItems {
  readonly meanwhile: string | number | undefined;
  readonly afterwards: string | number | undefined;
  /** How many looks in a row have found none. */
  readonly idle: number;
}

export interface ListOptions {
  /** Undefined when the list is as the cursor has it. */
  readonly read: (look: Look, seen: SeenItems) => Promise<List | undefined>;
  /** Whether an item that the list no longer shows is forgotten. A list that is read only in part shows it later. */
  readonly forgets: boolean;
}

export class ListChunks {
  readonly #options: ListOptions;
  /** A list of which there is more, and the cursor that the rest belongs to. */
  #rest: { readonly list: List; readonly cursor: Cursor } | undefined;

  constructor(options: ListOptions) {
    this.#options = options;
  }

  async look(look: Look): Promise<Chunk> {
    const seen = SeenItems.read(look.cursor['seen']);
    const list = this.#takeRest(look.cursor) ?? (await this.#options.read(look, seen));
    if (list === undefined) return { items: [], cursor: look.cursor, hasMore: false };
    const { chunk, isWhole } = this.#chunkOf(list, seen, look);
    if (!isWhole) this.#rest = { list, cursor: chunk.cursor };
    return chunk;
  }

  forgetRest(): void {
    this.#rest = undefined;
  }

  #takeRest(cursor: Cursor): List | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    const isOurs = rest !== undefined && JSON.stringify(rest.cursor) === JSON.stringify(cursor);
    return isOurs ? rest.list : undefined;
  }

  #chunkOf(
    list: List,
    before: SeenItems,
    { cursor, limit }: Look,
  ): { chunk: Chunk; isWhole: boolean } {
    // What the cursor cannot remember would come again with every look: of a longer list the newest are read.
    const byRef = new Map(list.items.map((item) => [item.itemRef, item]));
    const all = newestOf([...byRef.values()]);
    const isKnown = (item: SourceItem) => namesOf(item).some((name) => before.has(name));
    const fresh = all.filter((item) => !isKnown(item));
    const items = fresh.slice(0, limit);
    const hasMore = fresh.length > items.length;
    const older = olderAfter(list, hasMore);
    const count = countIn(cursor) + items.length;
    const known = this.#knownOf(list, before, all.filter(isKnown).flatMap(namesOf));
    const chunk = {
      items,
      cursor: {
        seen: known.with(items.flatMap(namesOf)).written(),
        // The rest belongs to this version, so it does not count as read yet.
        ...(hasMore ? {} : list.version),
        ...(older === undefined ? {} : { older: { ...older, count } }),
      },
      hasMore: hasMore || list.goesOn === true,
      ...(hasMore ? {} : { lost: list.lost }),
    };
    return { chunk, isWhole: !hasMore };
  }

  #knownOf(list: List, before: SeenItems, names: readonly string[]): SeenItems {
    // Those that were handed out since the look at older items began stay in front, where they are counted.
    if (list.older !== undefined) return before;
    return (this.#options.forgets ? SeenItems.read('') : before).with(names);
  }
}

function namesOf({ itemRef, otherRefs = [] }: SourceItem): string[] {
  return [itemRef, ...otherRefs];
}

/** As many of the newest as the cursor can remember with all their names. */
function newestOf(items: readonly SourceItem[]): readonly SourceItem[] {
  let names = 0;
  const from = items.findLastIndex((item) => {
    names += namesOf(item).length;
    return names > mostSeen;
  });
  return items.slice(from + 1);
}

function olderAfter({ older }: List, hasMore: boolean): Record<string, unknown> | undefined {
  const place = hasMore ? older?.meanwhile : older?.afterwards;
  return place === undefined ? undefined : { place, idle: older?.idle ?? 0 };
}

const Older = z.object({
  place: z.union([z.string(), z.number()]),
  idle: z.int().catch(0),
  count: z.int().min(0),
});

/** Where a look at older items goes on, and how many items were handed out since it began. */
export function olderIn({ older }: Cursor): z.output<typeof Older> | undefined {
  return Older.safeParse(older).data;
}

function countIn(cursor: Cursor): number {
  return olderIn(cursor)?.count ?? 0;
}
