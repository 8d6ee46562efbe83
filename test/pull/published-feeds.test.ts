// Feeds that others have published, as the npm packages of feed parsers ship them for their own tests.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Post } from '../../src/ingest/post-schema.ts';
import { readFeed } from '../../src/pull/feed/read-feed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { readMarkup } from '../support/posts/read-markup.ts';

const database = await useDatabase();
const packages = path.join(import.meta.dirname, '../../node_modules');
const folders = ['rss-parser/test/input', 'feedparser/test/feeds', 'feed-reader/test-data'];

/** Files of these folders that are no feeds: the packages test with them that they refuse them. */
const noFeeds = ['unrecognized.rss', 'notafeed.html'];
/** What the servers of these feeds said about them. */
const contentTypes: Readonly<Record<string, string>> = {
  'uolNoticias.rss': 'text/xml; charset=ISO-8859-1',
};

const files = folders.flatMap((folder) =>
  readdirSync(path.join(packages, folder)).map((name) => ({ folder, name })),
);
const feeds = files.filter(({ name }) => !noFeeds.includes(name));

function bytesOf({ folder, name }: { folder: string; name: string }): Buffer {
  const bytes = readFileSync(path.join(packages, folder, name));
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function itemsOf(file: { folder: string; name: string }) {
  return readFeed({
    bytes: bytesOf(file),
    contentType: contentTypes[file.name],
    url: 'https://example.org/feeds/all',
    text: 'content',
    media: 'all',
    imagesFromText: 1,
    tagsFromCategories: true,
  });
}

/** A count that knows nothing of feeds but the names of their elements. */
function countIn(file: { folder: string; name: string }): number {
  const text = bytesOf(file).toString('latin1');
  if (file.name.endsWith('.json')) {
    return z.object({ items: z.array(z.unknown()) }).parse(JSON.parse(text)).items.length;
  }
  const markup = text.replaceAll(/<!--.*?-->|<!\[CDATA\[.*?\]\]>/gs, '');
  return markup.match(/<(\w+:)?(item|entry)[\s>]/g)?.length ?? 0;
}

describe('feeds of other people', () => {
  it('are there', () => {
    expect(feeds.length).toBeGreaterThan(35);
  });

  it.each(feeds)('are read without loss: $name', async (file) => {
    const items = itemsOf(file);
    expect(items.length).toBe(countIn(file));
    for (const { itemRef, post } of items) {
      expect(itemRef).not.toBe('');
      expect(Post.safeParse(post)).toMatchObject({ success: true });
      // One file has an entry that says nothing.
      const says = file.name === 'missing-fields.atom' ? '' : (post.title ?? post.text);
      expect(says).toBeDefined();
    }
    const marked = items.flatMap(({ post }) =>
      post.parse_mode === 'HTML' ? [post.text ?? ''] : [],
    );
    for (const dialect of ['telegram_html', 'max_html']) {
      for (const { fault } of await readMarkup(database.admin, dialect, marked))
        expect(fault).toBeNull();
    }
  });

  it.each(feeds)('come oldest first, with the same names each time: $name', (file) => {
    const items = itemsOf(file);
    const dates = items.flatMap(({ post }) => String(post.fields?.['published'] ?? '') || []);
    expect(dates).toEqual(dates.toSorted());
    expect(itemsOf(file)).toEqual(items);
  });

  it.each(files.filter(({ name }) => noFeeds.includes(name)))(
    'are told from what is none: $name',
    (file) => {
      expect(() => itemsOf(file)).toThrow('answers with something that is no feed');
    },
  );

  // The other parser's reading is an independent opinion on each text.
  const outputs = path.join(packages, 'rss-parser/test/output');
  const Reading = z.object({
    feed: z.looseObject({
      items: z
        .array(z.looseObject({ title: z.string().optional(), link: z.string().optional() }))
        .optional(),
      entries: z
        .array(z.looseObject({ title: z.string().optional(), link: z.string().optional() }))
        .optional(),
    }),
  });
  const compared = feeds.filter(
    ({ folder, name }) =>
      folder.startsWith('rss-parser') &&
      readdirSync(outputs).includes(`${path.parse(name).name}.json`),
  );

  it.each(compared)('have the titles and links that rss-parser reads: $name', (file) => {
    const output = readFileSync(path.join(outputs, `${path.parse(file.name).name}.json`), 'utf8');
    const { feed } = Reading.parse(JSON.parse(output));
    const theirs = (feed.items ?? feed.entries ?? []).map(({ title = '' }) => words(title));
    const ours = itemsOf(file).map(({ post }) => words(post.title ?? ''));
    expect(ours.toSorted()).toEqual(theirs.toSorted());
    const links = new Set(itemsOf(file).map(({ post }) => post.url));
    const others = (feed.items ?? feed.entries ?? []).flatMap(({ link }) => link ?? []);
    for (const link of others) {
      expect(links).toContain(URL.parse(link.trim(), 'https://example.org/feeds/all')?.href);
    }
  });

  /** Without markup and entities, and without the letters that rss-parser reads in the wrong charset. */
  function words(text: string): string {
    return text.replaceAll(/<[^<>]*>|&#?\w+;|[^A-Za-z0-9]/g, '');
  }
});
