// The names of a feed's entries. An entry without an id is named by its link, so that an edited one stays the same item. Where
// entries of the feed share a link, their names are made of more of their content: of as little as tells them apart. So the
// name of an entry depends on those beside it, and it comes with the other names that the entry may have had, or will have.

import { createHash } from 'node:crypto';
import { soundRef } from '../sound-post.ts';
import type { FeedEntry } from './parse-feed.ts';

export interface EntryNames {
  readonly itemRef: string;
  readonly otherRefs: readonly string[];
}

/** For each entry, in their order. Entries that say the same have the same name. */
export function entryNames(entries: readonly FeedEntry[]): EntryNames[] {
  const named = entries.map(namesOf);
  const wholes = new Map<string, Set<string>>();
  for (const names of named) {
    for (const name of names) {
      const those = wholes.get(name) ?? new Set();
      wholes.set(name, those.add(names.at(-1) ?? ''));
    }
  }
  return named.map((names) => {
    const [itemRef = names.at(-1) ?? '', ...otherRefs] = names.filter(
      (name) => wholes.get(name)?.size === 1,
    );
    return { itemRef, otherRefs };
  });
}

/** What an entry may be called, the shortest first. */
function namesOf({ id, link, title, date, content, summary }: FeedEntry): string[] {
  if (id !== undefined && id.trim() !== '') return [soundRef(id)];
  const text = content?.value ?? summary?.value ?? '';
  const dated = [title?.value ?? text, date ?? ''];
  const whole = [title?.value ?? '', date ?? '', text];
  if (link !== undefined && link.trim() !== '') {
    return [soundRef(link), hashOf([link, ...dated]), hashOf([link, ...whole])];
  }
  return date === undefined ? [hashOf(whole)] : [hashOf(dated), hashOf(whole)];
}

function hashOf(says: readonly string[]): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(says)).digest('hex')}`;
}
