// Feeds: RSS 0.9x, 1.0 (RDF) and 2.0, Atom, JSON Feed. A look fetches the whole feed, unless the server says that it has not
// changed, and hands out what was not handed out before.

import { z } from 'zod';
import { answerBounds, HttpAuth, SourceUrl } from '../http-auth.ts';
import { type List, ListChunks } from '../list-chunks.ts';
import { readFeedApart } from '../reading-thread.ts';
import type { Cursor, Look, Source, SourceKind } from '../source.ts';
import { createSourceFetch, type FileVersion, type SourceFetch } from '../source-fetch.ts';

const keys = z.strictObject({
  url: SourceUrl.describe('The address of the feed, http or https.'),
  auth: HttpAuth.optional(),
  text: z
    .enum(['content', 'summary', 'none'])
    .default('content')
    .describe(
      'Which text of an entry becomes the post’s: the whole, the short one, or none. Default: content.',
    ),
  media: z
    .enum(['photos', 'all', 'none'])
    .default('photos')
    .describe('Which media of an entry become the post’s. Default: photos.'),
  images_from_text: z
    .int()
    .min(0)
    .max(10)
    .default(1)
    .describe('How many pictures out of its text an entry without media gets. Default: 1.'),
  tags_from_categories: z
    .boolean()
    .default(false)
    .describe('Whether the categories of an entry become tags. Default: false.'),
  ...answerBounds,
});

export const rss: SourceKind<typeof keys> = {
  name: 'rss',
  keys,
  open(config, means): Source {
    const fetch = createSourceFetch({
      means,
      auth: config.auth,
      maxBytes: config.max_bytes,
      timeoutMs: config.timeout_seconds * 1000,
    });
    const chunks = new ListChunks({ read: (look) => readList(fetch, config, look), forgets: true });
    return {
      look: (look) => chunks.look(look),
      async close() {
        chunks.forgetRest();
        await fetch.close();
      },
    };
  },
};

const accept =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.8';

async function readList(
  fetch: SourceFetch,
  config: z.output<typeof keys>,
  { cursor, signal, beforeCall }: Look,
): Promise<List | undefined> {
  await beforeCall();
  const version = versionIn(cursor);
  const file = await fetch.get({ url: config.url, headers: { accept }, version, signal });
  if (!file.isNew) return undefined;
  const items = await readFeedApart(
    {
      bytes: file.bytes,
      contentType: file.contentType,
      url: file.url,
      text: config.text,
      media: config.media,
      imagesFromText: config.images_from_text,
      tagsFromCategories: config.tags_from_categories,
    },
    file.host,
    { signal },
  );
  const { etag, lastModified } = file.version;
  return {
    items,
    version: {
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { last_modified: lastModified }),
    },
  };
}

function versionIn({ etag, last_modified: lastModified }: Cursor): FileVersion | undefined {
  const version = {
    ...(isHeader(etag) ? { etag } : {}),
    ...(isHeader(lastModified) ? { lastModified } : {}),
  };
  return Object.keys(version).length === 0 ? undefined : version;
}

function isHeader(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,1000}$/.test(value);
}
