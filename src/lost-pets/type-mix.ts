// How what was learned and what the rules say become one judgement. The reader and its training share it.

import type { Judgement } from './kind-by-rules.ts';
import type { Tokens } from './tokens.ts';
import type { Kind } from './words/kind-rules.ts';

export type JudgedKind = Exclude<Kind, 'link' | 'empty'>;

/** In the order of the weights in the table. */
export const judgedKinds: readonly JudgedKind[] = [
  'lost',
  'found',
  'sighting',
  'adoption',
  'fundraising',
  'news',
  'unknown',
];

export interface Mix {
  /** What the type counts that the rules decide for. */
  readonly decision: number;
  /** What each point counts that the rules give a type. */
  readonly score: number;
}

/** Taken from lost: a post that is reposted and should not be is worse than one that should be and is not. */
const caution = 0.5;
/** Where no phrase speaks for lost, and phrases speak for something else. */
const cautionUnsaid = 1.5;

/** So few words hold too few features to learn from: the rules decide alone. */
export function isTooShort({ words }: Tokens): boolean {
  return words < fewestWords;
}

const fewestWords = 10;

/** What each of so many known features counts. Long posts must not be surer for having many, and a few prove little. */
export function scaleOf(features: number): number {
  return features < few ? features / few : Math.min(1, Math.sqrt(many / features));
}

const few = 40;
const many = 60;

/** Adds what the rules say to the sums of the features. */
export function addRules(
  sums: Float64Array,
  { kind, scores }: Pick<Judgement, 'kind' | 'scores'>,
  { decision, score }: Mix,
): void {
  const isLostSaid = scores.lost > 0 || kind === 'unknown';
  for (let n = 0; n < judgedKinds.length; n += 1) {
    const judged = judgedKinds[n] ?? 'unknown';
    const points = judged === 'unknown' ? (kind === 'unknown' ? 3 : 0) : scores[judged];
    const said = score * points + (judged === kind ? decision : 0);
    const doubt = judged === 'lost' ? (isLostSaid ? caution : cautionUnsaid) : 0;
    sums[n] = (sums[n] ?? 0) + said - doubt;
  }
}

export function likeliest(sums: Float64Array): JudgedKind {
  let best = 0;
  for (let n = 1; n < judgedKinds.length; n += 1) if ((sums[n] ?? 0) > (sums[best] ?? 0)) best = n;
  return judgedKinds[best] ?? 'unknown';
}
