// The harness of every platform, by its name.

import type { Platform } from '../support/three-platforms.ts';
import type { Harness } from './harness.ts';
import { maxHarness } from './max-harness.ts';
import { telegramHarness } from './telegram-harness.ts';
import { vkHarness } from './vk-harness.ts';

export const harnesses: Readonly<Record<Platform, Harness>> = {
  telegram: telegramHarness,
  max: maxHarness,
  vk: vkHarness,
};
