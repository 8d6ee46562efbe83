// Makes an item of values that a configuration has picked: by paths out of JSON, or by columns out of a row. A single
// value of the wrong kind is left out: one odd item must not keep the others out. Where no item has a right one, the
// mapping is wrong, and nothing is taken.

import { createHash } from 'node:crypto';
import { addressOf } from './address.ts';
import type { HtmlReading } from './html/read-html.ts';
import { mediumTypeOf } from './media-type.ts';
import { readDate } from './read-date.ts';
import { readHtmlApart } from './reading-thread.ts';
import { type Found, type FoundMedium, longestText, soundPost, soundRef } from './sound-post.ts';
import type { SourceItem } from './source.ts';
import { SourceError } from './source-error.ts';

/** The values of one item. Null and undefined count as absent. */
export interface MappedValues {
  readonly item_ref: unknown;
  readonly title?: unknown;
  readonly text?: unknown;
  readonly html?: unknown;
  readonly url?: unknown;
  readonly media?: unknown;
  readonly tags?: unknown;
  readonly date?: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Mapping {
  /** Says where a value came from: "path author.name of item 3". `key` is title, text, … or the name of a field. */
  readonly placeOf: (key: string, index: number) => string;
  /** What relative addresses count from. */
  readonly baseUrl?: string | undefined;
  readonly signal: AbortSignal;
}

export async function mappedItems(
  values: readonly MappedValues[],
  mapping: Mapping,
): Promise<SourceItem[]> {
  const { baseUrl, signal } = mapping;
  const kinds = new Kinds();
  const readers = values.map((each, index) => new Values(each, index, mapping, kinds));
  const htmls = readers.map((each) => each.text('html') ?? '');
  const readings = await readHtmlApart(
    htmls.filter((html) => html !== ''),
    { baseUrl, maxLength: longestText },
    { signal },
  );
  const next = readings.values();
  const items = readers.map((each, index) =>
    itemOf(each, htmls[index] === '' ? undefined : next.next().value),
  );
  kinds.requireSomeRight();
  return items;
}

function itemOf(values: Values, reading: HtmlReading | undefined): SourceItem {
  const itemRef = soundRef(values.ref());
  const html = reading === undefined || reading.text === '' ? undefined : reading;
  const found: Found = {
    title: values.text('title'),
    text: html?.text ?? values.text('text'),
    isMarked: html?.isMarked,
    url: values.address('url'),
    media: values.media(),
    tags: values.tags(),
    fields: values.fields(),
  };
  return { itemRef, post: soundPost(itemRef, found) };
}

type Key = Exclude<keyof MappedValues, 'fields'>;

/** Which keys had values of the right kind, and what was wrong first with the others. */
class Kinds {
  readonly #right = new Set<string>();
  readonly #wrong = new Map<string, SourceError>();

  right(key: string): void {
    this.#right.add(key);
  }

  wrong(key: string, fault: SourceError): void {
    if (!this.#wrong.has(key)) this.#wrong.set(key, fault);
  }

  requireSomeRight(): void {
    for (const [key, fault] of this.#wrong) if (!this.#right.has(key)) throw fault;
  }
}

class Values {
  readonly #values: MappedValues;
  readonly #index: number;
  readonly #mapping: Mapping;
  readonly #kinds: Kinds;

  constructor(values: MappedValues, index: number, mapping: Mapping, kinds: Kinds) {
    this.#values = values;
    this.#index = index;
    this.#mapping = mapping;
    this.#kinds = kinds;
  }

  /** The item's own name; all that it says, if it has none. */
  ref(): string {
    const ref = this.text('item_ref')?.trim() ?? '';
    if (ref !== '') return ref;
    const fault = `${this.#place('item_ref')} is empty: an item needs a name of its own`;
    this.#kinds.wrong('item_ref', new SourceError(fault, { hint: 'correct map of the source' }));
    const said = JSON.stringify(this.#values, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    return `sha256:${createHash('sha256').update(said).digest('hex')}`;
  }

  #place(key: string): string {
    return this.#mapping.placeOf(key, this.#index);
  }

  text(key: Key): string | undefined {
    return this.#scalar(key, this.#values[key])?.toString();
  }

  address(key: Key): string | undefined {
    return addressOf(this.text(key), this.#mapping.baseUrl);
  }

  /** A list of texts, or one text with commas. */
  tags(): string[] {
    const { tags } = this.#values;
    if (typeof tags === 'string') return tags.split(',');
    return this.#list(tags).flatMap((tag) => this.#scalar('tags', tag)?.toString() ?? []);
  }

  /** A list of addresses or of objects with `url` and `type`, or one of them. */
  media(): FoundMedium[] {
    return this.#list(this.#values.media).flatMap((medium) => {
      const isObject = typeof medium === 'object' && medium !== null;
      const address: unknown = isObject ? Reflect.get(medium, 'url') : medium;
      const told: unknown = isObject ? Reflect.get(medium, 'type') : undefined;
      const url = addressOf(this.#scalar('media', address)?.toString(), this.#mapping.baseUrl);
      const type = this.#scalar('media', told)?.toString();
      // Most addresses without an ending that tells are those of pictures.
      return url === undefined ? [] : [{ url, type: mediumTypeOf(type, url) ?? 'image' }];
    });
  }

  fields(): Found['fields'] {
    const fields = Object.entries(this.#values.fields).map(
      ([name, value]) => [name, this.#scalar(name, value)] as const,
    );
    const date = this.text('date');
    return {
      ...(date === undefined ? {} : { published: readDate(date)?.toISOString() ?? date }),
      ...Object.fromEntries(fields),
    };
  }

  #list(value: unknown): readonly unknown[] {
    if (value === null || value === undefined) return [];
    return Array.isArray(value) ? value : [value];
  }

  #scalar(key: string, value: unknown): string | number | boolean | undefined {
    if (value === null || value === undefined) return undefined;
    const single = typeof value === 'bigint' ? value.toString() : value;
    if (typeof single === 'string' || typeof single === 'number' || typeof single === 'boolean') {
      this.#kinds.right(key);
      return single;
    }
    const kind = Array.isArray(value) ? 'a list' : 'an object';
    const fault = `${this.#place(key)} is ${kind}, and a single value is needed there`;
    this.#kinds.wrong(key, new SourceError(fault, { hint: 'correct map of the source' }));
    return undefined;
  }
}
