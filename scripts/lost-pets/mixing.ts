// Finds what the rules count beside what was learned: that with which most posts are read right that
// neither has seen; of equals, that with which they surprise least.

import {
  addRules,
  type JudgedKind,
  judgedKinds,
  likeliest,
  type Mix,
} from '../../src/lost-pets/type-mix.ts';
import type { Post } from './posts.ts';
import { sharesOf } from './regression.ts';

/** A post, and what the features say of it that were learned without it. */
export interface Judged {
  readonly post: Post;
  readonly sums: Float64Array;
}

export function mixed(judged: Judged, mix: Mix): JudgedKind {
  const { rules, isTooShort } = judged.post;
  return isTooShort ? rules.kind : likeliest(sumsWith(judged, mix));
}

function sumsWith({ post, sums }: Judged, mix: Mix): Float64Array {
  const all = sums.slice();
  addRules(all, post.rules, mix);
  return all;
}

/** A wrong type counts most; then how unlikely the right one was held to be. */
function faultOf(judged: Judged, mix: Mix): number {
  const sums = sumsWith(judged, mix);
  const share = sharesOf(sums)[judgedKinds.indexOf(judged.post.type)] ?? 0;
  return (mixed(judged, mix) === judged.post.type ? 0 : 1) - Math.log(share) / 1_000;
}

export function bestMix(judged: readonly Judged[]): Mix {
  let best: Mix = { decision: 0, score: 0 };
  let least = Number.POSITIVE_INFINITY;
  for (const mix of mixes()) {
    const faults = judged.reduce((sum, each) => sum + faultOf(each, mix), 0);
    if (faults >= least) continue;
    least = faults;
    best = mix;
  }
  return best;
}

function* mixes(): Generator<Mix> {
  for (const decision of [1.5, 1, 2])
    for (const score of [0, 0.1, 0.2, 0.3]) yield { decision, score };
}
