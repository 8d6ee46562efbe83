// The platforms on which a bot can answer.

import type { BotPlatform } from './platform.ts';
import { max } from './platforms/max.ts';
import { telegram } from './platforms/telegram.ts';

export const botPlatforms: readonly BotPlatform[] = [max, telegram];
