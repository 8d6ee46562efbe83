// Chunks of a list that is read anew at every look: a feed, the newest pages of an API. A look hands out what was not handed
// out before. Between the chunks of one list it is not read again.

import { mostSeen, SeenItems } from './seen-items.ts';
import type { Chunk, Cursor, Look, SourceItem } from './source.ts';

export interface List {
  /** Oldest first. */
  readonly items: readonly SourceItem[];
  /** What the cursor says about this version of the list once all of it is handed out. */
  readonly version: Readonly<Record<string, string>>;
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
    const chunk = this.#chunkOf(list, seen, look.limit);
    if (chunk.hasMore) this.#rest = { list, cursor: chunk.cursor };
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

  #chunkOf(list: List, before: SeenItems, limit: number): Chunk {
    // What the cursor cannot remember would come again with every look: of a longer list the newest are read.
    const byRef = new Map(list.items.map((item) => [item.itemRef, item]));
    const all = [...byRef.values()].slice(-mostSeen);
    const refs = all.map(({ itemRef }) => itemRef);
    const fresh = all.filter(({ itemRef }) => !before.has(itemRef));
    const items = fresh.slice(0, limit);
    const hasMore = fresh.length > items.length;
    const known = this.#options.forgets
      ? before.among(refs)
      : before.with(refs.filter((ref) => before.has(ref)));
    return {
      items,
      cursor: {
        seen: known.with(items.map(({ itemRef }) => itemRef)).written(),
        // The rest belongs to this version, so it does not count as read yet.
        ...(hasMore ? {} : list.version),
      },
      hasMore,
    };
  }
}
