// The names of a feed's entries. An entry without an id is named by its link, so that an edited one stays the same item. Where
// entries of the feed share a link, more of what they say counts, as little as tells them apart.

import { createHash } from 'node:crypto';
import { soundRef } from '../sound-post.ts';
import type { FeedEntry } from './parse-feed.ts';

/** One name for each entry, in their order. Entries that say the same have the same name. */
export function entryRefs(entries: readonly FeedEntry[]): string[] {
  const named = entries.map(namesOf);
  const wholes = new Map<string, Set<string>>();
  for (const names of named) {
    for (const name of names) {
      const those = wholes.get(name) ?? new Set();
      wholes.set(name, those.add(names.at(-1) ?? ''));
    }
  }
  return named.map(
    (names) => names.find((name) => wholes.get(name)?.size === 1) ?? names.at(-1) ?? '',
  );
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
