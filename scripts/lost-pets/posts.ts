// The posts that the reader learns types from, each as its features and as what the rules say of it.

import { type Judgement, kindByRules } from '../../src/lost-pets/kind-by-rules.ts';
import { lookAt } from '../../src/lost-pets/look-at.ts';
import { tellFeatures } from '../../src/lost-pets/type-features.ts';
import { isTooShort, type JudgedKind, judgedKinds } from '../../src/lost-pets/type-mix.ts';
import { casesOf, trainingPosts } from '../../test/support/lost-pets/corpus.ts';

export interface Post {
  readonly type: JudgedKind;
  readonly features: ReadonlySet<string>;
  readonly rules: Judgement;
  /** Whether the rules decide alone. */
  readonly isTooShort: boolean;
}

/** The rules were written with these in sight: they teach features, and nothing about the rules. */
export function openPosts(): Post[] {
  return postsOf(casesOf('open').map(({ text, expect }) => ({ text, type: expect.type })));
}

/** The rules were written without these. */
export function unseenPosts(): Post[] {
  return postsOf(trainingPosts());
}

/** Links and posts without words need no judgement. */
function postsOf(posts: readonly { readonly text: string; readonly type: string }[]): Post[] {
  return posts.flatMap(({ text, type }) => {
    const judged = judgedKinds.find((kind) => kind === type);
    return judged === undefined ? [] : [postOf(text, judged)];
  });
}

function postOf(text: string, type: JudgedKind): Post {
  const seen = lookAt(text);
  const rules = kindByRules(seen.tokens, seen.phrase, seen.surroundings);
  const features = new Set<string>();
  tellFeatures(seen, rules, {
    word({ text: name }, isFirst, isLast) {
      features.add(name);
      if (isFirst) features.add(`first:${name}`);
      if (isLast) features.add(`last:${name}`);
    },
    pair: (first, second) => features.add(`${first.text} ${second.text}`),
    fact: (name) => features.add(name.text),
  });
  return { type, features, rules, isTooShort: isTooShort(seen.tokens) };
}
