// Formatted text as MAX keeps it: plain text, and marks over it in UTF-16 units.

import { escapeHtml } from '../drawing/escape.ts';
import type { Json } from './json.ts';

export type MarkType =
  | 'strong'
  | 'emphasized'
  | 'monospaced'
  | 'link'
  | 'strikethrough'
  | 'underline'
  | 'user_mention'
  | 'heading'
  | 'highlighted'
  | 'quote';

export interface Mark {
  readonly type: MarkType;
  readonly from: number;
  readonly length: number;
  /** Only of a link. */
  readonly url?: string;
  /** Only of a mention. */
  readonly userId?: number;
}

export interface MarkedText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** The mark for words that have an address: a link or a mention. */
export function linkMark(url: string, from: number, length: number): Mark {
  const user = /^max:\/\/user\/(\d{1,15})$/.exec(url)?.[1];
  if (user === undefined) return { type: 'link', from, length, url };
  return { type: 'user_mention', from, length, userId: Number(user) };
}

/**
 * In reading order, outer marks before inner ones. The list has them the other way round, because inner marks end
 * first. Empty marks and repeats are dropped.
 */
export function orderMarks(marks: readonly Mark[]): Mark[] {
  const distinct = new Map(
    marks
      .toReversed()
      .filter((mark) => mark.length > 0)
      .map((mark) => [JSON.stringify([mark.type, mark.from, mark.length]), mark]),
  );
  return [...distinct.values()].toSorted((a, b) => a.from - b.from || b.length - a.length);
}

export function markJson(mark: Mark): Json {
  const { type, from, length, url, userId } = mark;
  return { from, length, type, url, user_id: userId };
}

const tags: Record<MarkType, string> = {
  strong: 'b',
  emphasized: 'i',
  monospaced: 'code',
  link: 'a',
  strikethrough: 's',
  underline: 'u',
  user_mention: 'b',
  heading: 'strong',
  highlighted: 'mark',
  quote: 'q',
};

/** The text as safe HTML. Marks may overlap, so every stretch between two ends gets its own tags. */
export function renderMarked({ text, marks }: MarkedText): string {
  const ends = marks.flatMap((mark) => [mark.from, mark.from + mark.length]);
  const cuts = [...new Set([0, text.length, ...ends])].toSorted((a, b) => a - b);
  return cuts
    .map((start, index) => {
      const end = cuts[index + 1] ?? start;
      const around = marks.filter((mark) => mark.from <= start && end <= mark.from + mark.length);
      return around.reduceRight(wrap, escapeHtml(text.slice(start, end)));
    })
    .join('');
}

function wrap(inner: string, mark: Mark): string {
  if (inner === '') return inner;
  const tag = tags[mark.type];
  if (mark.type !== 'link') return `<${tag}>${inner}</${tag}>`;
  const url = mark.url ?? '';
  return /^https?:\/\//i.test(url) ? `<a href="${escapeHtml(url)}">${inner}</a>` : inner;
}
