// What a thread that reads does: one input in, what came of it out, both plain data.

import { FeedFault } from './feed/feed-fault.ts';
import { type FeedToRead, readFeed } from './feed/read-feed.ts';
import { type HtmlOptions, type HtmlReading, readHtml } from './html/read-html.ts';
import type { SourceItem } from './source.ts';

export type Job =
  | { readonly feed: FeedToRead }
  | { readonly texts: readonly string[]; readonly options: HtmlOptions };

export type Done =
  | { readonly items: readonly SourceItem[] }
  | { readonly readings: readonly HtmlReading[] }
  /** In words that follow a name. */
  | { readonly fault: string };

export function doneWith(job: Job): Done {
  try {
    if ('feed' in job) return { items: readFeed(job.feed) };
    return { readings: job.texts.map((text) => readHtml(text, job.options)) };
  } catch (error) {
    if (error instanceof FeedFault) return { fault: error.message };
    // Markup that is nested too deeply for a parser.
    if (error instanceof RangeError) return { fault: 'sends what is nested too deeply to be read' };
    throw error;
  }
}
