// One call of a method: who calls, and with what.

import type { Parameters } from './parameters.ts';
import type { Bot, World } from './world.ts';

export interface Call {
  readonly world: World;
  readonly bot: Bot;
  readonly parameters: Parameters;
}

export type Method = (call: Call) => unknown;
