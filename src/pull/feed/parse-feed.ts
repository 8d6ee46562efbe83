// Reads a feed of any format into one shape. Nothing is judged or converted here: texts are as the feed has them.

import { parseAtomFeed, parseJsonFeed, parseRdfFeed, parseRssFeed } from 'feedsmith';
import { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import { FeedFault, noFeed } from './feed-fault.ts';
import { type FeedMedium, mediaOfNamespace, plainMedium } from './feed-media.ts';
import { type WholeXml, wholeXml } from './whole-xml.ts';

export interface ParsedFeed {
  readonly title: string | undefined;
  /** What relative addresses count from, if the feed says so. */
  readonly base: string | undefined;
  /** In the order of the feed, as a rule the newest first. */
  readonly entries: readonly FeedEntry[];
}

export interface FeedEntry {
  readonly id?: string | undefined;
  readonly title?: FeedText | undefined;
  readonly link?: string | undefined;
  readonly base?: string | undefined;
  /** Of the content alone; it counts from `base`. */
  readonly contentBase?: string | undefined;
  readonly content?: FeedText | undefined;
  readonly summary?: FeedText | undefined;
  readonly date?: string | undefined;
  readonly authors: readonly (string | undefined)[];
  readonly categories: readonly (string | undefined)[];
  readonly media: readonly FeedMedium[];
}

export interface FeedText {
  readonly value: string;
  /** `unknown`: the format does not say; a text with tags is HTML. */
  readonly format: 'html' | 'plain' | 'unknown';
}

export function parseFeed(text: string): ParsedFeed {
  const start = text.trimStart();
  if (start === '') throw new FeedFault('answers with nothing');
  if (start.startsWith('{')) {
    const json = jsonOf(start);
    return readable(
      () => ofJson(parseJsonFeed(json)),
      () => jsonWithoutItems(json),
    );
  }
  const document = wholeXml(start);
  const { root, text: xml } = document;
  const otherwise = () => withoutItems(document);
  if (root === 'feed') return readable(() => ofAtom(parseAtomFeed(xml)), otherwise);
  if (root === 'rdf') return readable(() => ofRdf(parseRdfFeed(xml)), otherwise);
  return readable(() => ofRss(parseRssFeed(xml)), otherwise);
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new FeedFault('sends JSON that breaks off or has a fault');
  }
}

/** The errors of the parser say nothing that would help, and may quote the feed. */
function readable(read: () => ParsedFeed, otherwise: () => ParsedFeed): ParsedFeed {
  try {
    return read();
  } catch (error) {
    if (error instanceof FeedFault) throw error;
    return otherwise();
  }
}

function unreadable(): never {
  throw new FeedFault('sends a feed that cannot be read as RSS, Atom, RDF or JSON Feed');
}

/** The parser refuses a feed that has neither items nor a title, as it refuses what is no feed. */
function withoutItems({ root, names, text }: WholeXml): ParsedFeed {
  if (names.has('item') || names.has('entry')) return unreadable();
  const isFeed =
    root === 'feed' ? atomNamespace.test(text) : root !== 'channel' && names.has('channel');
  if (!isFeed) throw new FeedFault(noFeed);
  return { title: undefined, base: undefined, entries: [] };
}

function jsonWithoutItems(json: unknown): ParsedFeed {
  return EmptyJsonFeed.safeParse(json).success
    ? { title: undefined, base: undefined, entries: [] }
    : unreadable();
}

const EmptyJsonFeed = z.object({
  version: z.string().startsWith('https://jsonfeed.org/version/'),
  items: z.tuple([]),
});

const atomNamespace = /\sxmlns(?::[\w.-]+)?\s*=\s*["']http:\/\/www\.w3\.org\/2005\/Atom["']/;

function ofRss(feed: ReturnType<typeof parseRssFeed<string>>): ParsedFeed {
  const entries = (feed.items ?? []).map((item): FeedEntry => {
    const { guid, dc, atom } = item;
    const permalink = guid?.isPermaLink === false ? undefined : webAddress(guid?.value);
    return {
      id: guid?.value,
      title: unknown(item.title ?? dc?.titles?.[0] ?? item.media?.title?.value),
      link: item.link ?? alternate(atom?.links) ?? permalink,
      base: item.xml?.base,
      content: html(item.content?.encoded),
      summary: unknown(item.description ?? dc?.descriptions?.[0] ?? describedMedia(item.media)),
      date: item.pubDate ?? dc?.dates?.[0] ?? atom?.published ?? atom?.updated,
      authors: [
        ...(item.authors ?? []).map(({ name, email }) => name ?? email),
        ...(dc?.creators ?? []),
      ],
      categories: [...(item.categories ?? []).map(({ name }) => name), ...(dc?.subjects ?? [])],
      media: [
        ...(item.enclosures ?? []).map(({ url, type, length }) => plainMedium(url, type, length)),
        ...mediaOfNamespace(item.media),
      ],
    };
  });
  return { title: feed.title, base: feed.xml?.base, entries };
}

function ofRdf(feed: ReturnType<typeof parseRdfFeed<string>>): ParsedFeed {
  const entries = (feed.items ?? []).map((item): FeedEntry => {
    const { dc } = item;
    return {
      id: item.rdf?.about ?? dc?.identifiers?.[0],
      title: unknown(item.title ?? dc?.titles?.[0]),
      link: item.link ?? webAddress(item.rdf?.about),
      base: item.xml?.base,
      content: html(item.content?.encoded),
      summary: unknown(item.description ?? dc?.descriptions?.[0]),
      date: dc?.dates?.[0],
      authors: dc?.creators ?? [],
      categories: dc?.subjects ?? [],
      media: mediaOfNamespace(item.media),
    };
  });
  return { title: feed.title, base: feed.xml?.base, entries };
}

function ofAtom(feed: ReturnType<typeof parseAtomFeed<string>>): ParsedFeed {
  const entries = (feed.entries ?? []).map((entry): FeedEntry => {
    const { links = [], media } = entry;
    return {
      id: entry.id,
      title: ofAtomText(entry.title) ?? unknown(media?.title?.value),
      link: alternate(links),
      base: entry.xml?.base,
      contentBase: entry.content?.xml?.base,
      content: ofAtomText(entry.content),
      summary: ofAtomText(entry.summary) ?? unknown(describedMedia(media)),
      date: entry.published ?? entry.updated ?? entry.dc?.dates?.[0],
      authors: [...(entry.authors ?? []).map(({ name }) => name), ...(entry.dc?.creators ?? [])],
      categories: (entry.categories ?? []).map(({ label, term }) => label ?? term),
      media: [
        ...links
          .filter(({ rel }) => rel === 'enclosure')
          .map(({ href, type, length }) => plainMedium(href, type, length)),
        ...mediaOfNamespace(media),
      ],
    };
  });
  return { title: feed.title?.value, base: feed.xml?.base, entries };
}

function ofJson(feed: ReturnType<typeof parseJsonFeed<string>>): ParsedFeed {
  const entries = (feed.items ?? []).map((item): FeedEntry => {
    const picture = item.image ?? item.banner_image;
    return {
      id: item.id,
      title: plain(item.title),
      link: item.url ?? item.external_url,
      content: html(item.content_html) ?? plain(item.content_text),
      summary: plain(item.summary),
      date: item.date_published ?? item.date_modified,
      authors: (item.authors ?? []).map(({ name }) => name),
      categories: item.tags ?? [],
      media: [
        ...(picture === undefined ? [] : [plainMedium(picture, 'image')]),
        ...(item.attachments ?? []).map(({ url, mime_type: type, size_in_bytes: size }) =>
          plainMedium(url, type, size),
        ),
      ],
    };
  });
  return { title: feed.title, base: feed.home_page_url, entries };
}

interface AtomText {
  readonly value?: string | undefined;
  readonly type?: string | undefined;
}

function ofAtomText({ value, type }: AtomText = {}): FeedText | undefined {
  if (value === undefined) return undefined;
  const named = type?.trim().toLowerCase() ?? '';
  if (named === '') return unknown(value);
  if (/html/.test(named)) return html(value);
  // Anything else that has a media type of its own is a file within the feed.
  return named === 'text' || named.startsWith('text/') ? plain(value) : undefined;
}

interface AtomLink {
  readonly href?: string | undefined;
  readonly rel?: string | undefined;
}

function alternate(links: readonly AtomLink[] = []): string | undefined {
  const isPage = ({ rel }: AtomLink) => rel === undefined || rel === 'alternate';
  return (links.find(isPage) ?? links.find(({ rel }) => rel === 'related'))?.href;
}

interface MediaWords {
  readonly description?: { readonly value?: string | undefined } | undefined;
  readonly groups?: readonly MediaWords[] | undefined;
}

/** Feeds of videos have their text beside the video. */
function describedMedia(media: MediaWords | undefined): string | undefined {
  return media?.description?.value ?? media?.groups?.[0]?.description?.value;
}

function webAddress(text: string | undefined): string | undefined {
  return /^https?:\/\//i.test(text ?? '') ? text : undefined;
}

function html(value: string | undefined): FeedText | undefined {
  return value === undefined ? undefined : { value, format: 'html' };
}

function plain(value: string | undefined): FeedText | undefined {
  return value === undefined ? undefined : { value, format: 'plain' };
}

function unknown(value: string | undefined): FeedText | undefined {
  return value === undefined ? undefined : { value, format: 'unknown' };
}
