// One call of a known bot.

import type { SandboxReply, SandboxRequest } from '../simulator.ts';
import type { Events } from './events.ts';
import type { Bot, World } from './world.ts';

export interface Call {
  readonly world: World;
  readonly events: Events;
  readonly bot: Bot;
  readonly request: SandboxRequest;
  /** The parts of the path that the route names. */
  readonly parts: Readonly<Record<string, string>>;
  /** Refuses when one more message to the chat would be too many. */
  checkPace(chatId: number): void;
}

export type Method = (call: Call) => SandboxReply | Promise<SandboxReply>;
