// The HTTP side of Outrider: takes posts and files in, and tells how things are.

import { databaseTime } from '../db/health.ts';
import { type HealthOptions, healthArea } from '../http/health.ts';
import { type ServerOptions, type ServerPatience, startServer } from '../http/server.ts';
import type { Service } from '../service.ts';
import { intakeArea } from './area.ts';
import type { IngestContext } from './context.ts';
import type { Limits } from './shares.ts';

export interface IngestOptions
  extends Omit<IngestContext, 'patience' | 'halted'>,
    Omit<ServerOptions, 'areas' | 'patience'>,
    Pick<HealthOptions, 'health'> {
  /** How long things may take, where it is not as usual. */
  readonly patience?: Partial<Patience> | undefined;
  /** What there may be at once, where it is not as usual. */
  readonly limits?: Partial<Limits> | undefined;
}

interface Patience extends ServerPatience {
  /** For the body of a post. */
  readonly postMs: number;
  /** The longest silence within a body. */
  readonly silenceMs: number;
  /** For the database's word on whether it is there. */
  readonly databaseMs: number;
}

const usual = { postMs: 30_000, silenceMs: 30_000 };

// A tenth, a quarter and a third of what the process has: nobody's share is all of it.
const usualLimits: Limits = {
  requests: 100,
  bytes: 8 * 1024 * 1024,
  allBytes: 32 * 1024 * 1024,
  calls: 3,
  turnMs: 5000,
};

/** Refuses to start where files cannot be kept: every upload would fail. */
export async function startIngest(
  options: IngestOptions,
): Promise<Service & { readonly url: string }> {
  await options.store.prepare();
  const limits = { ...usualLimits, ...options.limits };
  const context = { ...options, patience: { ...usual, ...options.patience } };
  const server = await startServer({
    ...options,
    areas: [
      healthArea({
        askDatabase: () => databaseTime(options.client),
        databaseMs: options.patience?.databaseMs,
        health: options.health,
      }),
      intakeArea(context, limits),
    ],
  });
  return { name: 'ingest', ...server };
}
