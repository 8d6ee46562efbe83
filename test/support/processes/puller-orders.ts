import { z } from 'zod';

export const PullerOptions = z.object({
  databaseUrl: z.string(),
  /** How many items the source has. */
  items: z.int(),
  now: z.string(),
  /** With which chunk of its own it dies, and when; never when missing. */
  death: z
    .object({
      chunk: z.int().positive(),
      when: z.enum(['before', 'within', 'after']),
      afterMs: z.number(),
    })
    .optional(),
});

export type PullerOptions = z.output<typeof PullerOptions>;
