// Makes an item of values that a configuration has picked: by paths out of JSON, or by columns out of a row.

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
  const readers = values.map((each, index) => new Values(each, index, mapping));
  const htmls = readers.map((each) => each.text('html') ?? '');
  const readings = await readHtmlApart(
    htmls.filter((html) => html !== ''),
    { baseUrl, maxLength: longestText },
    { signal },
  );
  const next = readings.values();
  return readers.map((each, index) =>
    itemOf(each, htmls[index] === '' ? undefined : next.next().value),
  );
}

function itemOf(values: Values, reading: HtmlReading | undefined): SourceItem {
  const ref = values.text('item_ref')?.trim() ?? '';
  if (ref === '') {
    throw new SourceError(`${values.place('item_ref')} is empty: an item needs a name of its own`);
  }
  const itemRef = soundRef(ref);
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

class Values {
  readonly #values: MappedValues;
  readonly #index: number;
  readonly #mapping: Mapping;

  constructor(values: MappedValues, index: number, mapping: Mapping) {
    this.#values = values;
    this.#index = index;
    this.#mapping = mapping;
  }

  place(key: string): string {
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
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return value;
    }
    if (typeof value === 'bigint') return value.toString();
    const kind = Array.isArray(value) ? 'a list' : 'an object';
    throw new SourceError(`${this.place(key)} is ${kind}, and a single value is needed there`, {
      hint: 'correct map of the source',
    });
  }
}
