// The platforms that are simulated. Nothing else in the sandbox lists them.

import { max } from './max/index.ts';
import { telegram } from './telegram/index.ts';
import { vk } from './vk/index.ts';

export const simulated = [telegram, max, vk] as const;

export type Platform = (typeof simulated)[number]['name'];
