// The harness of every platform, by its name.

import type { Harness } from './harness.ts';
import { maxHarness } from './max-harness.ts';
import { telegramHarness } from './telegram-harness.ts';
import { vkHarness } from './vk-harness.ts';

export const harnesses = {
  telegram: telegramHarness,
  max: maxHarness,
  vk: vkHarness,
} satisfies Readonly<Record<string, Harness>>;
