// A source of items that a test lists, under the name of a kind that the database knows.

import { z } from 'zod';
import type { Chunk, Look, SourceItem, SourceKind } from '../../../src/pull/source.ts';

export interface ListedKind {
  readonly kind: SourceKind;
  /** Oldest first. */
  items: readonly SourceItem[];
  /** Done before every look. */
  onLook: (look: Look) => Promise<void>;
  /** What the looks say that they have passed over. */
  lost?: string | undefined;
  /** What the cursor says beside the place. */
  more?: Readonly<Record<string, unknown>>;
  readonly looks: number;
}

const Cursor = z.object({ at: z.int().default(0) });

export function listedKind(items: readonly SourceItem[] = []): ListedKind {
  let looks = 0;
  const listed: ListedKind = {
    items,
    onLook: async () => undefined,
    get looks() {
      return looks;
    },
    kind: {
      name: 'db',
      keys: z.strictObject({ colour: z.string().optional() }),
      open: () => ({ look, close: async () => undefined }),
    },
  };

  async function look(request: Look): Promise<Chunk> {
    looks += 1;
    await listed.onLook(request);
    const { at } = Cursor.parse(request.cursor);
    const end = Math.min(at + request.limit, listed.items.length);
    return {
      items: listed.items.slice(at, end),
      cursor: { at: end, ...listed.more },
      hasMore: end < listed.items.length,
      lost: listed.lost,
    };
  }

  return listed;
}

export function itemsOf(count: number, from = 0): SourceItem[] {
  return Array.from({ length: count }, (_, n) => ({
    itemRef: `item-${from + n}`,
    post: { text: `Post ${from + n}` },
  }));
}
