// Makes a post of what a source has. Intake refuses a post with a fault for good, and nobody here can mend the source. So
// what does not fit is cut or left out: a title that is too long, a text that is no address, the 101st tag.

import { createHash } from 'node:crypto';
import { addressOf } from './address.ts';
import { isFieldName } from './field-name.ts';
import type { SourceItem } from './source.ts';

type Post = SourceItem['post'];
type Medium = NonNullable<Post['media']>[number];

export interface Found {
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  /** Whether the text is in HTML. */
  readonly isMarked?: boolean | undefined;
  readonly url?: string | undefined;
  readonly media?: readonly FoundMedium[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly fields?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

export interface FoundMedium {
  readonly type: MediumType;
  readonly url: string;
}

export type MediumType = 'image' | 'animation' | 'video' | 'audio' | 'file';

const longest = { title: 1000, text: 65_536, field: 4096, tagBytes: 512, refBytes: 512 };
const most = { media: 100, tags: 100, fields: 100 };

/** The most UTF-16 units of a text. */
export const longestText = longest.text;

export function soundPost(itemRef: string, found: Found): Post {
  const title = cut(oneLine(found.title ?? ''), longest.title);
  const text = textOf(found);
  const url = addressOf(found.url);
  const media = mediaOf(found.media ?? []);
  const tags = tagsOf(found.tags ?? []);
  const fields = fieldsOf(found.fields ?? {});
  return {
    ...(title === '' ? {} : { title }),
    ...(text === '' ? {} : { text }),
    ...(text !== '' && found.isMarked === true ? { parse_mode: 'HTML' as const } : {}),
    ...(url === undefined ? {} : { url }),
    ...(media.length === 0 ? {} : { media }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    source_ref: itemRef,
  };
}

/** A name that a receipt can keep: as the source has it, or, if that is too long, the hash of it. */
export function soundRef(ref: string): string {
  const sound = clean(ref).trim();
  if (sound !== '' && Buffer.byteLength(sound) <= longest.refBytes) return sound;
  return `sha256:${createHash('sha256').update(ref).digest('hex')}`;
}

function textOf({ text = '', isMarked = false }: Found): string {
  const sound = clean(text).trim();
  // The HTML reader has cut a text with markup where its tags stay whole.
  return isMarked ? sound : cut(sound, longest.text);
}

function mediaOf(media: readonly FoundMedium[]): Medium[] {
  const byUrl = new Map<string, Medium>();
  for (const { type, url } of media) {
    const sound = addressOf(url);
    if (sound !== undefined && !byUrl.has(sound)) byUrl.set(sound, { type, url: sound });
  }
  return [...byUrl.values()].slice(0, most.media);
}

function tagsOf(tags: readonly string[]): string[] {
  const sound = tags
    .map(oneLine)
    .filter((tag) => tag !== '' && Buffer.byteLength(tag) <= longest.tagBytes);
  return [...new Set(sound)].slice(0, most.tags);
}

function fieldsOf(fields: NonNullable<Found['fields']>): Record<string, string | number | boolean> {
  const sound: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (Object.keys(sound).length === most.fields) break;
    if (value === undefined || !isFieldName.test(name)) continue;
    const kept = typeof value === 'string' ? cut(clean(value).trim(), longest.field) : value;
    if (kept !== '' && (typeof kept !== 'number' || Number.isFinite(kept))) sound[name] = kept;
  }
  return sound;
}

/** Without what the database cannot keep: U+0000, and halves of characters. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, ' ').trim();
}

/** At a word if there is one near the end, with a sign that something is missing. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length - 1).toWellFormed();
  const word = start.lastIndexOf(' ');
  return `${(word > length - 100 ? start.slice(0, word) : start).trimEnd()}…`;
}
