// What was learned from posts about their types: a table of features with weights, looked up word by word.

import type { Judgement } from './kind-by-rules.ts';
import type { Seen } from './look-at.ts';
import type { Span } from './span.ts';
import { type FeatureListener, tellFeatures } from './type-features.ts';
import { addRules, type JudgedKind, judgedKinds, likeliest, scaleOf } from './type-mix.ts';
import { table, tableRows } from './type-table.ts';
import { bias, mix } from './words/type-weights.ts';

const kinds = judgedKinds.length;
const hundredths = 100;

// Kept from post to post, so that none has to make them anew.
const sums = new Float64Array(kinds);
const countedIn = new Uint32Array(tableRows);
let post = 0;
let features = 0;

function count(row: number): void {
  if (row < 0 || countedIn[row] === post) return;
  countedIn[row] = post;
  features += 1;
  for (let kind = 0, at = row * kinds; kind < kinds; kind += 1, at += 1)
    sums[kind] = (sums[kind] ?? 0) + (table[at] ?? 0);
}

const counting: FeatureListener = {
  word({ rows }, isFirst, isLast) {
    if (rows === undefined) return;
    count(rows.any);
    if (isFirst) count(rows.first);
    if (isLast) count(rows.last);
  },
  pair({ rows }, { second }) {
    if (rows !== undefined && second >= 0 && rows.next.size > 0) count(rows.next.get(second) ?? -1);
  },
  fact({ rows }) {
    if (rows !== undefined) count(rows.any);
  },
};

/** The type by what was learned and by the rules. */
export function judge(seen: Seen, rules: Judgement): JudgedKind {
  post = (post + 1) % 0xffff_ffff;
  if (post === 0) {
    countedIn.fill(0);
    post = 1;
  }
  features = 0;
  sums.fill(0);
  tellFeatures(seen, rules, counting);
  const scale = scaleOf(features);
  for (let kind = 0; kind < kinds; kind += 1)
    sums[kind] = ((sums[kind] ?? 0) * scale + (bias[kind] ?? 0)) / hundredths;
  addRules(sums, rules, mix);
  return likeliest(sums);
}

const mostWords = 3;

/** The words that speak most for a type, in the order of the text. */
export function wordsFor(kind: JudgedKind, seen: Seen, rules: Judgement): readonly Span[] {
  const { list } = seen.tokens;
  const points = new Map<number, number>();
  const at = judgedKinds.indexOf(kind);
  const add = (row: number, token: number): void => {
    if (row < 0 || list[token]?.kind !== 'word') return;
    points.set(token, (points.get(token) ?? 0) + (table[row * kinds + at] ?? 0));
  };
  tellFeatures(seen, rules, {
    word(name, isFirst, isLast, token) {
      add(name.rows?.any ?? -1, token);
      if (isFirst) add(name.rows?.first ?? -1, token);
      if (isLast) add(name.rows?.last ?? -1, token);
    },
    pair: (first, second, token) => add(first.rows?.next.get(second.second) ?? -1, token),
    fact: () => {},
  });
  return [...points]
    .filter(([, sum]) => sum > 0)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostWords)
    .flatMap(([token]) => list[token] ?? [])
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end }) => ({ start, end }));
}
