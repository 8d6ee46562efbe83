// The result of a run whose bundles were simulated apart.

import type { PostVerdict } from './intake.ts';
import { sumOfUses } from './limits.ts';
import type { RunResult } from './run.ts';

export function together(bundles: readonly RunResult[]): RunResult {
  const [first, ...others] = bundles;
  if (first === undefined) throw new Error('a run has one bundle at least');
  if (others.length === 0) return first;
  return {
    beganAt: first.beganAt,
    deliveries: bundles.flatMap((each) => each.deliveries).toSorted((a, b) => a.post - b.post),
    verdicts: first.verdicts.map((verdict, n) =>
      others.reduce((sum, { verdicts }) => bothOf(sum, verdicts[n]), verdict),
    ),
    limits: {
      uses: (channelId) => sumOfUses(bundles.flatMap(({ limits }) => limits.uses(channelId))),
    },
    steps: bundles.reduce((sum, { steps }) => sum + steps, 0),
  };
}

/** Every bundle takes the same posts in, so what is wrong with a post is wrong in all of them. */
function bothOf(verdict: PostVerdict, other: PostVerdict | undefined): PostVerdict {
  if (!verdict.ok || !other?.ok) return verdict;
  return { ok: true, channels: [...verdict.channels, ...other.channels] };
}
