// A post as it is handed to the database: named after its item, with the tags of its source, and with nothing in it that
// PostgreSQL cannot keep.

import type { PostReader } from './readers.ts';
import type { SourceItem } from './source.ts';

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

/** A value whose texts PostgreSQL can keep: one NUL or half a character would make it refuse the whole chunk. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [storable(name), storable(each)]),
  );
}
