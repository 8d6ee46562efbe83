// What a provider's process says to the bench.

import { z } from 'zod';

export const kinds = ['answerer', 'sandbox'] as const;
export type Kind = (typeof kinds)[number];

/** Called for every post, as soon as its body is read. */
export type OnPost = (body: string) => void;

const KeptPost = z.object({ body: z.string(), at: z.number() });
export type KeptPost = z.output<typeof KeptPost>;

export const Word = z.discriminatedUnion('word', [
  z.object({ word: z.literal('listening'), url: z.string() }),
  /** In reply to `count`: posts so far, and the bytes of their bodies. */
  z.object({ word: z.literal('counted'), posts: z.number(), bytes: z.number() }),
  /** In reply to `watch`: the next post is here; µs of the machine's clock. */
  z.object({ word: z.literal('arrived'), body: z.string(), at: z.number() }),
  /** In reply to `tell`: all posts since `keep`. */
  z.object({ word: z.literal('kept'), posts: z.array(KeptPost) }),
]);
export type Word = z.output<typeof Word>;

export type Question = 'count' | 'watch' | 'keep' | 'tell';

/** µs of the machine's clock, which all processes share. */
export function machineMicros(): number {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e6 + nanos / 1e3;
}
