// Pages of an API: asks for one, finds the items in it, and says where the next one is.

import { mayHaveSecretsOf } from '../../http/secret-holder.ts';
import { leadsOn, requirePath, valueAt } from '../json-path.ts';
import { type MappedValues, mappedItems } from '../mapped-item.ts';
import type { Look, SourceItem, SourceMeans } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { createSourceFetch, type NewFile } from '../source-fetch.ts';
import type { ApiKeys } from './keys.ts';
import { readJson } from './read-json.ts';

/** A page's number or offset, the cursor that an API gave, or an address. */
export type Place = string | number;

export interface ApiPage {
  /** In the order of the API. */
  readonly items: readonly SourceItem[];
  readonly next: Place | undefined;
  readonly etag: string | undefined;
}

export interface Pages {
  /** Without a place it reads the first page. Answers undefined when the page has not changed since `etag`. */
  read(
    place: Place | undefined,
    look: Look,
    etag: string | undefined,
  ): Promise<ApiPage | undefined>;
  close(): Promise<void>;
}

export function createPages(config: ApiKeys, means: SourceMeans): Pages {
  const fetch = createSourceFetch({
    means,
    auth: config.auth,
    maxBytes: config.max_bytes,
    timeoutMs: config.timeout_seconds * 1000,
  });
  const pick = pickerOf(config);
  return {
    async read(place, { signal, beforeCall }, etag) {
      await beforeCall();
      const request = {
        url: addressFor(config, place),
        headers: { accept: 'application/json', ...config.headers },
        version: etag === undefined ? undefined : { etag },
        signal,
      };
      const file = await fetch.get(request).catch((error: unknown) => {
        const isBehind = pageBefore(config, place) !== undefined;
        if (isBehind && error instanceof SourceError && saysEnd(config, error)) return undefined;
        throw error;
      });
      if (file === undefined) return { items: [], next: undefined, etag: undefined };
      if (!file.isNew) return undefined;
      const answer = readJson(file.bytes, file.host);
      const list = listIn(config, answer, file.host);
      const items = await mappedItems(list.map(pick), {
        placeOf: (key, index) => `${file.host}: ${pathOf(config, key)} of item ${index + 1}`,
        baseUrl: file.url,
        signal,
      });
      return {
        items,
        next: nextOf(config, place, answer, list.length, file),
        etag: file.version.etag,
      };
    },
    close: () => fetch.close(),
  };
}

/** What APIs answer after their last page. By number the first page was asked for alike, so 400 is not said of the parameter. */
function saysEnd({ paging }: ApiKeys, { status = 0 }: SourceError): boolean {
  return [404, 410, 416].includes(status) || (paging?.by === 'page' && [400, 422].includes(status));
}

/** The place of the page before; undefined when there is none, or when the API does not count its pages. */
export function pageBefore({ paging }: ApiKeys, place: Place | undefined): number | undefined {
  if (typeof place !== 'number') return undefined;
  if (paging?.by === 'page') return place > paging.first ? place - 1 : undefined;
  if (paging?.by !== 'offset' || place <= 0) return undefined;
  return Math.max(0, place - paging.size);
}

function addressFor({ url, paging }: ApiKeys, place: Place | undefined): string {
  if (paging === undefined) return url;
  if (paging.by === 'link') return typeof place === 'string' ? place : url;
  const address = new URL(url);
  if (paging.by !== 'cursor' && paging.size_param !== undefined) {
    address.searchParams.set(paging.size_param, String(paging.size));
  }
  const first = paging.by === 'page' ? paging.first : undefined;
  const asked = place ?? first;
  if (asked !== undefined) address.searchParams.set(paging.param, String(asked));
  return address.href;
}

function nextOf(
  config: ApiKeys,
  place: Place | undefined,
  answer: unknown,
  count: number,
  file: NewFile,
): Place | undefined {
  const { paging } = config;
  if (paging === undefined) return undefined;
  if (paging.by === 'link') return nextLinked(config, paging.next, place, answer, file);
  if (paging.by === 'cursor') {
    const next = toldNext(paging.next, answer, file.host);
    // Some APIs end with 0 in place of nothing.
    return ['', '0'].includes(String(next ?? '')) || next === place ? undefined : next;
  }
  if (count < paging.size) return undefined;
  return paging.by === 'page' ? Number(place ?? paging.first) + 1 : Number(place ?? 0) + count;
}

function nextLinked(
  { url, auth }: ApiKeys,
  path: string | undefined,
  place: Place | undefined,
  answer: unknown,
  file: NewFile,
): string | undefined {
  const told = path === undefined ? nextLink(file.link) : toldNext(path, answer, file.host);
  if (typeof told !== 'string' || told === '') return undefined;
  const next = nextAddress(told, url, file);
  // The cursor is kept, and a secret is not.
  if (auth !== undefined && 'query' in auth) next.searchParams.delete(auth.query);
  return next.href === (place ?? url) ? undefined : next.href;
}

/** Undefined at the end. A path to something larger than a cursor or an address would end every look at the first page. */
function toldNext(path: string, answer: unknown, host: string): Place | undefined {
  const told = valueAt(answer, requirePath(path));
  if (typeof told === 'string' || typeof told === 'number') return told;
  if (told === undefined || told === null || told === false) return undefined;
  if (typeof told === 'object' && Object.keys(told).length === 0) return undefined;
  const what = Array.isArray(told) ? 'a list' : told === true ? 'true' : 'an object';
  throw new SourceError(`${host}: ${path} of the answer is ${what}, and names no next page`, {
    hint: 'next in paging of the source is the path to a cursor or an address',
  });
}

/** Refuses a next page that the secret may not go to: the server could otherwise send the secret anywhere. */
function nextAddress(told: string, url: string, file: NewFile): URL {
  const next = URL.parse(told, file.url);
  if (next !== null && mayHaveSecretsOf(new URL(url), next)) return next;
  throw new SourceError(`${file.host} names a next page that is not on the host of url`);
}

/** As in `<https://example.org/items?page=2>; rel="next"`. */
function nextLink(header: string | undefined): string | undefined {
  const links = (header ?? '').matchAll(/<([^<>]*)>([^<]*)/g);
  return [...links].find(([, , about = '']) => /;\s*rel\s*=\s*"?[^";]*\bnext\b/i.test(about))?.[1];
}

function listIn({ items }: ApiKeys, answer: unknown, host: string): readonly unknown[] {
  const path = requirePath(items);
  const list = leadsOn(answer, path) ? valueAt(answer, path) : undefined;
  if (Array.isArray(list)) return list;
  // Some servers write a list without items so.
  if (list === null) return [];
  const where = items === '' ? 'the answer' : `${items} of the answer`;
  const what = list === undefined ? 'is missing' : 'is no list';
  throw new SourceError(`${host}: ${where} ${what}`, {
    hint: 'items of the source is the path to the list',
  });
}

/** Picks the values of an item. The paths are read once. */
function pickerOf({ map }: ApiKeys): (item: unknown) => MappedValues {
  const { fields, media = [], ...parts } = map;
  const paths = Object.entries(parts).map(
    ([name, path = '']) => [name, requirePath(path)] as const,
  );
  const mediaPaths = [media].flat().map(requirePath);
  const fieldPaths = Object.entries(fields).map(
    ([name, path]) => [name, requirePath(path)] as const,
  );
  return (item) => ({
    item_ref: undefined,
    ...Object.fromEntries(paths.map(([name, path]) => [name, valueAt(item, path)])),
    media: mediaPaths.flatMap((path) => valueAt(item, path) ?? []),
    fields: Object.fromEntries(fieldPaths.map(([name, path]) => [name, valueAt(item, path)])),
  });
}

/** As in "title (attributes.name)". */
function pathOf({ map: { fields, ...parts } }: ApiKeys, key: string): string {
  const path = new Map(Object.entries({ ...fields, ...parts })).get(key);
  return path === undefined ? key : `${key} (${[path].flat().join(', ')})`;
}
