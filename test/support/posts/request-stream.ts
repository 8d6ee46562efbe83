// The requests of a sender, one after the other: random posts, posts with faults, and repeats of earlier posts.

import fc from 'fast-check';
import { rawPost } from './random-posts.ts';

export type Post = Readonly<Record<string, unknown>>;

/** The sizes of the blobs that are stored. Posts also refer to `B  3`, which is not. */
export const storedBlobs: Readonly<Record<string, number>> = { b1: 1000, b2: 30_000_000 };

const fresh = fc
  .tuple(
    rawPost,
    fc.record(
      {
        trace_id: fc.constantFrom('trace-1', 'call +7 912 345-67-89', 'token=abcdef1234567890'),
        source: fc.constantFrom({}, { kind: 'rss', phone: '+79123456789' }, { list: [1, null] }),
        source_ref: fc.constantFrom('', ...Array.from({ length: 1000 }, (_, n) => `post-${n}`)),
        // Far in the past or in the future: whether a post waits must not depend on when the test runs.
        scheduled_for: fc.constantFrom('2001-02-03T04:05:06Z', '2150-06-01 23:30+03'),
        workspace_id: fc.constantFrom('other', 5),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([post, more]): Post => ({ ...post, ...more, ...inStore(post.media) }));

/** Only one of the ways in would fetch media by their URLs, so all refer to a blob. */
function inStore(media: readonly object[] | undefined): Post {
  if (media === undefined) return {};
  return {
    media: media.map((item) => ('url' in item ? { ...item, url: null, blob_ref: 'b1' } : item)),
  };
}

/** Posts at the length limits of platforms, and one character above and below. */
const long = fc
  .tuple(
    fc.constantFrom(1024, 4000, 4096, 16_384),
    fc.integer({ min: -1, max: 1 }),
    fc.constantFrom('a', 'ж', '😀', 'a '),
    fc.constantFrom({}, { media: [{ type: 'image', blob_ref: 'b1' }] }),
  )
  .map(([limit, more, unit, rest]): Post => {
    const text = unit.repeat(limit).slice(0, limit + more);
    return { ...rest, text: text.toWellFormed() };
  });

const link = 'https://example.org';

const faults: readonly Post[] = [
  { txt: 'misspelt' },
  { text: 5 },
  { text: ' \n', title: '', url: null, links: [], media: [] },
  { title: 'x'.repeat(1001) },
  { parse_mode: 'html' },
  { url: 'ftp://example.org' },
  { links: link },
  { links: [link, 'nowhere'] },
  { media: [{ type: 'image' }] },
  { media: [{ type: 'pdf', blob_ref: 'b1' }] },
  { media: [{ type: 'image', blob_ref: 'b1', url: link }] },
  { buttons: [[]] },
  { buttons: [[{ text: ' ', url: link }]] },
  { buttons: [[{ text: 'Open', url: link, color: 'red' }]] },
  { disable_preview: 'yes' },
  { fields: { text: 'taken' } },
  { fields: { list: [] } },
  { tags: ['lost', ''] },
  { tags: 'lost' },
  { source: [] },
  { source_ref: 'x'.repeat(513) },
  { scheduled_for: 'tomorrow' },
  { scheduled_for: '2150-02-30T10:00:00Z' },
  { trace_id: 'a\u202eb' },
];
const faulty = fc
  .tuple(fresh, fc.constantFrom(...faults))
  .map(([post, fault]): Post => ({ ...post, ...fault }));

/** How a repeat may differ from the earlier post. */
const changes: readonly ((post: Post) => Post)[] = [
  (post) => post,
  (post) => Object.fromEntries(Object.entries(post).toReversed()),
  (post) => ({ ...post, trace_id: 'again' }),
  (post) => ({ ...post, source_ref: 'again' }),
  (post) => ({ ...post, source_ref: null, tags: ['again'] }),
  (post) => ({ ...post, source_ref: null, source: { again: true } }),
  (post) => ({ ...post, source_ref: null, text: ` ${String(post['text'])}\n` }),
];
const repeat = fc.record({ back: fc.integer({ min: 1, max: 300 }), change: fc.nat(6) });

const request = fc.oneof(
  { weight: 12, arbitrary: fc.record({ post: fresh }) },
  { weight: 1, arbitrary: fc.record({ post: long }) },
  { weight: 2, arbitrary: fc.record({ post: faulty }) },
  { weight: 5, arbitrary: repeat },
);

/** That many requests; the same seed makes the same requests. */
export function requestStream(count: number, seed: number): Post[] {
  const posts: Post[] = [];
  for (const each of fc.sample(request, { numRuns: count, seed })) {
    posts.push('post' in each ? each.post : repeated(posts, each));
  }
  return posts;
}

function repeated(
  posts: readonly Post[],
  { back, change }: { back: number; change: number },
): Post {
  const earlier = posts[Math.max(0, posts.length - back)] ?? { text: 'The first of all' };
  return changes[change]?.(earlier) ?? earlier;
}
