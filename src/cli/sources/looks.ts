// The looks that the next pull would take, until there are enough items. One look may bring none and still go on: it has read
// some of many walls, or one that cannot be read.

import { isDeepStrictEqual } from 'node:util';
import { sameAgain } from '../../pull/pull-failure.ts';
import type { Look, Source, SourceItem } from '../../pull/source.ts';
import { SourceError } from '../../pull/source-error.ts';

export interface Looked {
  readonly items: readonly SourceItem[];
  readonly hasMore: boolean;
  /** What the pull would fail with after these items. */
  readonly fault: SourceError | undefined;
}

export async function looksOfPull(source: Source, look: Look): Promise<Looked> {
  const items: SourceItem[] = [];
  let { cursor } = look;
  for (;;) {
    try {
      const chunk = await source.look({ ...look, cursor, limit: look.limit - items.length });
      items.push(...chunk.items);
      const { hasMore, lost } = chunk;
      const fault = lost === undefined ? chunk.fault : new SourceError(lost);
      if (!hasMore || lost !== undefined || items.length >= look.limit) {
        return { items, hasMore, fault };
      }
      if (isDeepStrictEqual(cursor, chunk.cursor)) throw sameAgain();
      cursor = chunk.cursor;
    } catch (error) {
      if (error instanceof SourceError) return { items, hasMore: false, fault: error };
      throw error;
    }
  }
}
