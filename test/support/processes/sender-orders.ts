// The messages between a sending process and the test that started it.

import { z } from 'zod';
import { logLevels } from '../../../src/log.ts';

/** Where a send can be held: when it is claimed, before a request leaves, or when it is answered and not committed. */
const Phase = z.enum(['claimed', 'called', 'answered']);
export type Phase = z.output<typeof Phase>;

export const SenderOptions = z.object({
  databaseUrl: z.string(),
  apiUrls: z.object({ telegram: z.string(), max: z.string(), vk: z.string() }),
  /** What it sends: posts, or the answers of bots. */
  role: z.enum(['dispatch', 'bot']).default('dispatch'),
  concurrency: z.int().default(50),
  drainMs: z.int().default(5000),
  recoverEveryMs: z.int().default(50),
  logLevel: z.enum(logLevels).default('silent'),
});
export type SenderOptions = z.input<typeof SenderOptions>;

export const Order = z.discriminatedUnion('do', [
  z.object({ do: z.literal('send'), stopIn: Phase.optional() }),
  z.object({ do: z.literal('go on') }),
  z.object({ do: z.literal('rest') }),
]);
export type Order = z.output<typeof Order>;

export const Report = z.object({ is: z.enum(['ready', 'stopped', 'resting']) });
export type Report = z.output<typeof Report>;
