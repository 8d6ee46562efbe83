// How often a way of reading types is right, and the errors that matter most.

import type { JudgedKind } from '../../src/lost-pets/type-mix.ts';

export function reportOf(
  name: string,
  types: readonly JudgedKind[],
  read: readonly JudgedKind[],
): string {
  const count = (isSo: (type: JudgedKind, as: JudgedKind | undefined) => boolean): number =>
    types.filter((type, n) => isSo(type, read[n])).length;
  const right = (count((type, as) => type === as) / types.length) * 100;
  const wronglyLost = count((type, as) => as === 'lost' && type !== 'lost');
  const kept = count((type, as) => as === 'lost' && (type === 'found' || type === 'adoption'));
  const missed = count((type, as) => type === 'lost' && as !== 'lost');
  return `  ${name.padEnd(9)}${right.toFixed(1).padStart(6)} %   read as lost: ${wronglyLost}, of these found or adoption: ${kept}; lost, read otherwise: ${missed}`;
}
