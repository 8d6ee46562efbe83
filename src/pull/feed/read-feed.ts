// Makes posts of a feed's bytes. It is pure and takes long for a large feed, so it runs in a thread of its own
// (reading-thread.ts): its input and its result are plain data.

import { addressOf } from '../address.ts';
import { type HtmlReading, readHtml } from '../html/read-html.ts';
import { readDate } from '../read-date.ts';
import { longestText, soundPost } from '../sound-post.ts';
import type { SourceItem } from '../source.ts';
import { decodeFeed } from './decode.ts';
import { type EntryNames, entryNames } from './entry-refs.ts';
import { chosenMedia } from './feed-media.ts';
import { type FeedEntry, type FeedText, parseFeed } from './parse-feed.ts';

export interface FeedToRead {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  /** Where the feed came from. */
  readonly url: string;
  readonly text: 'content' | 'summary' | 'none';
  readonly media: 'all' | 'photos' | 'none';
  /** How many pictures out of the text a post gets when its entry brings none itself. */
  readonly imagesFromText: number;
  readonly tagsFromCategories: boolean;
}

/** The items of a feed, oldest first. */
export function readFeed(feed: FeedToRead): SourceItem[] {
  const parsed = parseFeed(decodeFeed(feed.bytes, feed.contentType));
  const base = addressOf(parsed.base, feed.url) ?? feed.url;
  const entries = oldestFirst(parsed.entries);
  const names = entryNames(entries);
  return entries.map((entry, index) => {
    const named = { itemRef: '', otherRefs: [], ...names[index], entry };
    return itemOf(named, feed, addressOf(entry.base, base) ?? base, parsed.title);
  });
}

/**
 * By date. An entry without one is as old as the entry below it, because feeds have the newest on top; so a feed
 * without dates is turned around.
 */
function oldestFirst(entries: readonly FeedEntry[]): FeedEntry[] {
  let date = Number.NEGATIVE_INFINITY;
  const dated = entries.toReversed().map((entry) => {
    date = readDate(entry.date)?.getTime() ?? date;
    return { entry, date };
  });
  return dated
    .toSorted((a, b) => (a.date === b.date ? 0 : a.date - b.date))
    .map(({ entry }) => entry);
}

function itemOf(
  { entry, itemRef, otherRefs }: EntryNames & { readonly entry: FeedEntry },
  feed: FeedToRead,
  baseUrl: string,
  feedTitle: string | undefined,
): SourceItem {
  const contentUrl = addressOf(entry.contentBase, baseUrl) ?? baseUrl;
  const urlFor = (text: FeedText) => (text === entry.content ? contentUrl : baseUrl);
  const readShown = (text: FeedText) => readText(text, { baseUrl: urlFor(text) });
  const shown = textsOf(entry, feed.text)
    .map(readShown)
    .find(({ text }) => text !== '');
  const own = chosenMedia(entry.media, feed.media, baseUrl);
  // A thumbnail is worth less than a picture of the text.
  const takesImages = entry.media.every(({ isThumbnail }) => isThumbnail) || own.length === 0;
  const images = takesImages && feed.media !== 'none' ? imagesOf(entry, readShown) : [];
  const ofText = images
    .slice(0, feed.imagesFromText)
    .map((url) => ({ type: 'image' as const, url }));
  const categories = entry.categories.filter((each) => each !== undefined);
  const title =
    entry.title === undefined ? undefined : readText(entry.title, { baseUrl, isPlain: true }).text;
  const post = soundPost(itemRef, {
    title,
    text: shown?.text,
    isMarked: shown?.isMarked,
    url: addressOf(entry.link, baseUrl),
    media: ofText.length > 0 ? ofText : own,
    tags: feed.tagsFromCategories ? categories : [],
    fields: {
      author: entry.authors.filter((each) => each !== undefined).join(', '),
      categories: categories.join(', '),
      published: readDate(entry.date)?.toISOString(),
      feed: feedTitle,
      broken_characters: brokenIn(title) + brokenIn(shown?.text) || undefined,
    },
  });
  return { itemRef, ...(otherRefs.length === 0 ? {} : { otherRefs }), post };
}

/** How many characters could not be read, and are shown as �. */
function brokenIn(text = ''): number {
  return text.split('\uFFFD').length - 1;
}

/** The texts that may be shown, the wanted one first. */
function textsOf({ content, summary }: FeedEntry, wanted: FeedToRead['text']): FeedText[] {
  if (wanted === 'none') return [];
  const order = wanted === 'content' ? [content, summary] : [summary, content];
  return order.filter((text) => text !== undefined);
}

/** The pictures in the text of an entry, whichever text is shown. */
function imagesOf(
  { content, summary }: FeedEntry,
  read: (text: FeedText) => HtmlReading,
): readonly string[] {
  return (
    [content, summary]
      .filter((text) => text !== undefined)
      .map((text) => read(text).images)
      .find((images) => images.length > 0) ?? []
  );
}

const hasTag = /<[a-z!/]/i;
const hasEntity = /&(?:#\d+|#x[\da-f]+|[a-z]+\d*);/i;

function readText(
  { value, format }: FeedText,
  how: { readonly baseUrl: string; readonly isPlain?: boolean },
): HtmlReading {
  const isHtml =
    format === 'html' || (format === 'unknown' && (hasTag.test(value) || hasEntity.test(value)));
  if (!isHtml) return { text: value.trim(), isMarked: false, images: [] };
  // A text without tags keeps the lines that it is written in.
  const html = hasTag.test(value) ? value : value.trim().replaceAll(/\r\n?|\n/g, '<br>');
  return readHtml(html, { ...how, maxLength: longestText });
}
