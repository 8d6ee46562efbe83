// What a post is about: by the rules of phrases, and by what was learned from posts that people have judged.

import { closingOf } from './closing.ts';
import { kindByRules } from './kind-by-rules.ts';
import type { Seen } from './look-at.ts';
import type { Span } from './span.ts';
import type { Token, Tokens } from './tokens.ts';
import { isTooShort } from './type-mix.ts';
import { judge, wordsFor } from './type-model.ts';
import type { Kind } from './words/kind-rules.ts';

export type { Kind } from './words/kind-rules.ts';

export interface KindReading {
  readonly kind: Kind;
  /** Whether a thing or a person is missing, so that an animal in it is a key ring at most. */
  readonly isOfThings: boolean;
  readonly because: readonly Span[];
}

export function kindOf(seen: Seen): KindReading {
  const plainest = withoutWords(seen.tokens);
  if (plainest !== undefined) return { kind: plainest, isOfThings: false, because: [] };
  const rules = kindByRules(seen.tokens, seen.phrase, seen.surroundings);
  const closing = closingOf(seen.tokens.list, rules);
  if (closing.length > 0) return { kind: 'news', isOfThings: false, because: closing };
  const kind = isTooShort(seen.tokens) ? rules.kind : judge(seen, rules);
  const phrases = rules.because.filter(({ value }) => value === kind);
  const isByRules = kind === rules.kind || kind === 'unknown';
  const because = isByRules ? phrases : apart([...phrases, ...wordsFor(kind, seen, rules)]);
  return { kind, isOfThings: rules.isOfThings, because: kind === 'unknown' ? [] : because };
}

/** Without those that lie within an earlier one. */
function apart(spans: readonly Span[]): readonly Span[] {
  return spans.filter(
    ({ start, end }, n) =>
      !spans.slice(0, n).some((other) => other.start <= start && end <= other.end),
  );
}

const twoWords = 4;

/** `empty` or `link`, if there are no words to judge by. */
function withoutWords({ list, words, links }: Tokens): 'empty' | 'link' | undefined {
  if (words > twoWords) return undefined;
  if (links > 0 && !list.some(isTelling)) return 'link';
  const numbers = list.some(({ kind }) => kind === 'number');
  return words === 0 && !numbers && links === 0 ? 'empty' : undefined;
}

/** A word that makes a post more than a link. */
function isTelling({ facts }: Token): boolean {
  return (
    facts.animal !== undefined ||
    facts.breed !== undefined ||
    facts.role === 'gone' ||
    facts.role === 'found'
  );
}
