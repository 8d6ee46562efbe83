// Lets the database and the oracle (preflight.ts) judge the same posts, and says where they disagree.

import type { Queryable } from '../../../src/db/pool.ts';
import {
  type ComposedPost,
  composePosts,
  outcomeOf,
  payloadOf,
  storeBlobs,
} from '../posts/composed-posts.ts';
import { type Draft, judge, type Platform, type Reason } from './preflight.ts';

/** How the database words its refusal, for each reason of the oracle. */
const refusals: Readonly<Record<Reason, RegExp>> = {
  markup: /^the text is not valid (HTML|Markdown)( for \w+)?: /,
  length: /^the text has [\d,]+ characters( with its markup)?, \w+ takes [\d,]+$/,
  bytes: /^the text has [\d,]+ bytes with its markup, Telegram takes 32,768$/,
  empty: /^the text is empty$/,
  mode: /^the channel takes (text|media) only, and the post has (media|none)$/,
  type: /^\w+ takes no (images|video|audio|files|animations) \(media\[\d+\]\)$/,
  link: /^media\[\d+\] is only a link, and \w+ takes \w+ from the origin store only/,
  store: /^media\[\d+\] names blob "missing", which is not in the origin store$/,
  size: /^media\[\d+\] has [\d,]+ bytes, \w+ takes [\d,]+ \(\d+ MiB\) for \w+$/,
  caption: /^the caption of media\[\d+\] has [\d,]+ characters, Telegram takes 1,024$/,
  buttons: /^the buttons have no place/,
  host: /^buttons\[0\]\[\d\] leads to the host "[^".]*", and Telegram takes only hosts with a dot in their name$/,
  parts: /^the post would go out in \d+ parts/,
};

/** One line for each draft on which the database and the oracle disagree, 20 at most. */
export async function disagreements(
  client: Queryable,
  drafts: readonly Draft[],
  platform: Platform,
): Promise<string[]> {
  await storeBlobs(
    client,
    drafts
      .flatMap((draft) => draft.media ?? [])
      .flatMap(({ blob }) => (typeof blob === 'object' ? [blob.bytes] : [])),
  );
  const found: string[] = [];
  for (let from = 0; from < drafts.length; from += 100) {
    const batch = drafts.slice(from, from + 100);
    const posts = await composePosts(
      client,
      batch.map((draft) => ({ payload: payloadOf(draft), platform, sendMode: draft.sendMode })),
    );
    for (const [n, draft] of batch.entries()) {
      const post = posts[n];
      const difference = post === undefined ? 'no answer' : differenceOf(draft, platform, post);
      if (difference !== null) found.push(`${summary(draft)}: ${difference}`);
    }
  }
  return found.slice(0, 20);
}

/** What the database says, and what the oracle says instead; null if they agree. */
function differenceOf(draft: Draft, platform: Platform, post: ComposedPost): string | null {
  const expected = judge(draft, platform);
  const outcome = outcomeOf(post);
  if ('reasons' in expected) {
    const { fault } = post;
    return fault !== null && expected.reasons.some((reason) => refusals[reason].test(fault))
      ? null
      : `${outcome}, not a refusal for ${expected.reasons.join(' or ')}`;
  }
  const format = platform === 'vk' ? undefined : draft.text?.format;
  if (outcome !== expected.plan) return `${outcome}, not ${expected.plan}`;
  if (post.rendered_text !== expected.sent) {
    return `sends ${shortened(post.rendered_text)}, not ${shortened(expected.sent)}`;
  }
  const sentIn = post.render_meta.format;
  return sentIn === format
    ? null
    : `is sent in ${sentIn ?? 'no'} format, not in ${format ?? 'none'}`;
}

function summary(draft: Draft): string {
  return JSON.stringify(draft, (_, value: unknown) =>
    typeof value === 'string' ? shortened(value) : value,
  );
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 20)}… (${text.length})` : text;
}
