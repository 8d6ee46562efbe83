import { describe, expect, it } from 'vitest';
import { readFeed } from '../../src/pull/feed/read-feed.ts';
import { ListChunks } from '../../src/pull/list-chunks.ts';
import type { Cursor } from '../../src/pull/source.ts';

const item = (title: string, rest = '<link>https://x.org/</link>') =>
  `<item><title>${title}</title>${rest}<description>About ${title}</description></item>`;

/** The titles that each look at a feed brings, one after the other. */
async function looks(...feeds: readonly string[][]): Promise<unknown[][]> {
  let cursor: Cursor = {};
  const brought: unknown[][] = [];
  for (const items of feeds) {
    const bytes = Buffer.from(`<rss version="2.0"><channel>${items.join('')}</channel></rss>`);
    const feed = { bytes, contentType: undefined, url: 'https://x.org/feed' } as const;
    const how = { text: 'content', media: 'none', imagesFromText: 0 } as const;
    const list = { items: readFeed({ ...feed, ...how, tagsFromCategories: false }), version: {} };
    const chunks = new ListChunks({ read: () => Promise.resolve(list), forgets: true });
    const signal = new AbortController().signal;
    const chunk = await chunks.look({ cursor, limit: 9999, signal, beforeCall: async () => {} });
    ({ cursor } = chunk);
    brought.push(chunk.items.map(({ post }) => post.title));
  }
  return brought;
}

describe('items without an id, of which the names depend on those beside them', () => {
  it('do not come again when another with their link appears, or goes', async () => {
    const a = item('A');
    const b = item('B');
    expect(await looks([a], [b, a], [b], [item('C'), b])).toEqual([['A'], ['B'], [], ['C']]);
    expect(await looks([b, a], [b])).toEqual([['A', 'B'], []]);
  });

  it('do not come again when another with their title and date appears', async () => {
    const dated = '<pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate>';
    const other = `<item><title>A</title>${dated}<description>More</description></item>`;
    expect(await looks([item('A', dated)], [other, item('A', dated)])).toEqual([['A'], ['A']]);
  });

  it('stay the same when they are edited and have a link of their own', async () => {
    const of = (title: string) => item(title, '<link>https://x.org/1</link>');
    expect(await looks([of('A')], [of('A, edited')], [item('B'), of('A, again')])).toEqual([
      ['A'],
      [],
      ['B'],
    ]);
  });

  it('are so many that the cursor can remember each name', async () => {
    const many = Array.from({ length: 1700 }, (_, n) =>
      item(`N${n}`, `<link>https://x.org/${n}</link>`),
    );
    const [first, again] = await looks(many, many);
    expect([first?.length, again]).toEqual([1666, []]);
  });
});
