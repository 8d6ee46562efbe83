// The pace of a platform, by its name. It comes from the code, since a calculation needs no database.

import type { Pace } from '../../adapters/platform.ts';
import { platforms } from '../../adapters/platforms.ts';

export function paceOf(platform: string): Pace {
  const found = platforms.find(({ name }) => name === platform);
  if (found === undefined) throw new Error(`there is no platform "${platform}"`);
  return found.pace;
}
