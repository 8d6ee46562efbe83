// How much of each part a workload uses, and which part is the limit.

import { type Figures, figures as measured } from './figures.ts';
import { paceOf } from './pace-of.ts';
import { localParts, type Part, platformParts, rates } from './parts.ts';
import type { Workload } from './workload.ts';

export interface Capacity {
  readonly deliveriesPerDay: number;
  /** At peak. */
  readonly deliveriesPerSecond: number;
  readonly storageBytesPerDay: number;
  readonly logBytesPerDay: number;
  /** How long after its first channel a post reaches its last one, by the pace of the rate groups. */
  readonly spreadSeconds: number;
  readonly parts: readonly Part[];
  /** The part that is used most. */
  readonly limit: Part;
  /** The posts a day of each workspace that would use that part up. */
  readonly mostPostsPerDay: number;
}

export function capacityOf(workload: Workload, figures: Figures = measured): Capacity {
  const parts = [...platformParts(workload), ...localParts(workload, figures)];
  const limit = limitOf(parts);
  const growing = parts.filter((each) => each.grows).map((each) => each.use);
  const { deliveriesPerDay, deliveriesPerSecond, postsPerDay } = rates(workload);
  return {
    deliveriesPerDay,
    deliveriesPerSecond,
    storageBytesPerDay:
      deliveriesPerDay * figures.deliveryBytes.value + postsPerDay * figures.postBytes.value,
    logBytesPerDay: deliveriesPerDay * figures.deliveryLogBytes.value,
    spreadSeconds: spreadOf(workload),
    parts,
    limit,
    mostPostsPerDay: Math.floor(workload.postsPerDay / Math.max(...growing)),
  };
}

/** A part that does not grow with the posts is a limit only when it is used up. */
function limitOf(parts: readonly Part[]): Part {
  const [first] = parts
    .filter((each) => each.grows || each.use > 1)
    .toSorted((a, b) => b.use - a.use);
  if (first === undefined) throw new Error('there is no part that grows with the posts');
  return first;
}

function spreadOf({ platforms, share }: Workload): number {
  const seconds = platforms.map(({ platform, channels, groups }) => {
    const last = Math.ceil(Math.ceil(channels / groups) * share);
    return Math.max(0, last - 1) / paceOf(platform).groupRps;
  });
  return Math.max(0, ...seconds);
}
