// A post as it is handed to the database: named after its item, with the tags of its source, and with nothing in it that
// PostgreSQL cannot keep.

import type { PostReader } from './readers.ts';
import type { SourceItem } from './source.ts';
import { storable } from './storable.ts';

export type RawPost = Readonly<Record<string, unknown>>;

export interface Preparation {
  readonly tags?: readonly string[] | undefined;
  readonly reader?: PostReader | undefined;
}

export function preparedPost({ itemRef, post }: SourceItem, preparation: Preparation): RawPost {
  const { tags = [], reader } = preparation;
  const read = reader === undefined ? post : reader(post);
  const all = [...new Set([...(read.tags ?? []), ...tags])];
  return asObject(
    storable({ ...read, source_ref: itemRef, ...(all.length === 0 ? {} : { tags: all }) }),
  );
}

function asObject(value: unknown): RawPost {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}
