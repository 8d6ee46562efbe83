// Reads faults from orders to the control API.

import { z } from 'zod';
import { homeOf } from './faults.ts';
import { simulated } from './platforms.ts';
import type { Fault, FaultKind } from './simulator.ts';

const kinds = [
  'drop',
  'half_open',
  'slow_drip',
  'html',
  'empty_body',
  'truncated_json',
  'server_error',
  'rate_limited',
  'kicked',
  'revoked',
  'migrated',
  'attachment_not_ready',
  'success_false',
  'captcha',
] as const satisfies readonly FaultKind[];
const platforms = simulated.map(({ name }) => name);

/** One of several words. The error for any other word lists them. */
function oneOf<const Word extends string>(what: string, words: readonly Word[]) {
  return z.enum(words, {
    error: ({ input }) => {
      const given =
        input === undefined ? 'it is missing' : `there is no ${what} ${JSON.stringify(input)}`;
      return `${given}; there are ${words.join(', ')}`;
    },
  });
}

const FaultOrder = z
  .strictObject({
    kind: oneOf('kind', kinds),
    platform: oneOf('platform', platforms).optional(),
    method: z.string().optional(),
    chat: z.union([z.string(), z.number().transform(String)]).optional(),
    times: z.int().positive().optional(),
    after: z.int().nonnegative().optional(),
    retry_after: z.number().nonnegative().optional(),
    status: z.int().min(400).max(599).optional(),
    stored: z.boolean().optional(),
  })
  .superRefine(({ kind, platform }, context) => {
    const home = homeOf(kind);
    if (platform === undefined || home === undefined || home === platform) return;
    context.addIssue({
      code: 'custom',
      path: ['platform'],
      message: `${kind} is a fault of ${home} only, not of ${platform}`,
    });
  })
  .transform(({ retry_after: retryAfter, ...rest }): Fault => ({ ...rest, retryAfter }));

/** One fault, or a list of them. If one cannot be read, throws a ZodError and adds none. */
export function readFaults(body: unknown): Fault[] {
  return Array.isArray(body) ? z.array(FaultOrder).parse(body) : [FaultOrder.parse(body)];
}
