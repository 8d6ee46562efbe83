// The platforms, in the order in which people see them. Nothing else in the program lists them.

import { max } from './max/index.ts';
import type { Platform } from './platform.ts';
import { telegram } from './telegram/index.ts';
import { vk } from './vk/index.ts';

export const platforms: readonly Platform[] = [telegram, max, vk];
