// How long a call to a platform takes: as measured in the workspace, as given, or a plain guess.

import type { SendTimes } from '../db/simulate.ts';
import { type CallPlace, chanceOf } from './chance.ts';

/** In milliseconds. */
export type DurationOf = (platform: string, call: CallPlace) => number;

export interface DurationOptions {
  readonly measured: readonly SendTimes[];
  /** Instead of what was measured, by platform. */
  readonly given: ReadonlyMap<string, number>;
  /** Where neither says anything. */
  readonly otherwiseMs: number;
}

/** Fewer sends than this say little about the next ones. */
const enoughSends = 20;

export function durationsFrom({ measured, given, otherwiseMs }: DurationOptions): DurationOf {
  const known = new Map(
    measured
      .filter(({ sends }) => sends >= enoughSends)
      .map(({ platform, quantilesMs }) => [platform, quantilesMs] as const),
  );
  return (platform, call) => {
    const own = given.get(platform);
    if (own !== undefined) return own;
    const quantiles = known.get(platform);
    return quantiles === undefined ? otherwiseMs : between(quantiles, chanceOf('duration', call));
  };
}

/** The platforms of which enough was measured. */
export function measuredPlatforms(measured: readonly SendTimes[]): SendTimes[] {
  return measured.filter(({ sends }) => sends >= enoughSends);
}

/** The value at a share of the distribution, with straight lines between its quantiles. */
function between(quantiles: readonly number[], share: number): number {
  const place = share * (quantiles.length - 1);
  const below = quantiles[Math.floor(place)] ?? 0;
  const above = quantiles[Math.ceil(place)] ?? below;
  return Math.max(1, Math.round(below + (above - below) * (place - Math.floor(place))));
}
