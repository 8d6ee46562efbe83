// The HTTP side of Outrider: takes posts and files in, and reports the health of the process.

import { databaseTime } from '../db/health.ts';
import { type HealthOptions, healthArea } from '../http/health.ts';
import type { ApiPart } from '../http/openapi.ts';
import { type Area, type ServerOptions, type ServerPatience, startServer } from '../http/server.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import type { Service } from '../service.ts';
import { intakeArea } from './area.ts';
import type { IngestContext } from './context.ts';
import { payloadArea } from './payload-link.ts';
import type { Limits } from './shares.ts';

export interface IngestOptions
  extends Omit<IngestContext, 'patience' | 'halted'>,
    Omit<ServerOptions, 'areas' | 'patience'>,
    Pick<HealthOptions, 'health'> {
  /** Where links to raw payloads lead; undefined: this process has no key. */
  readonly payloadStore?: PayloadStore | undefined;
  /** Other parts of the interface that this server has. */
  readonly areas?: readonly Area[] | undefined;
  /** What openapi.json says of them. */
  readonly documents?: readonly ApiPart[] | undefined;
  /** Time limits that differ from the usual ones. */
  readonly patience?: Partial<Patience> | undefined;
  /** Limits that differ from the usual ones. */
  readonly limits?: Partial<Limits> | undefined;
}

interface Patience extends ServerPatience {
  /** For the body of a post. */
  readonly postMs: number;
  /** The longest silence within a body. */
  readonly silenceMs: number;
  /** For the database to answer whether it is there. */
  readonly databaseMs: number;
}

const usual = { postMs: 30_000, silenceMs: 30_000 };

// One workspace gets a tenth of the requests, a quarter of the bytes and a third of the database connections that the
// process has: no workspace can have all of them.
export const usualLimits: Limits = {
  requests: 100,
  bytes: 8 * 1024 * 1024,
  allBytes: 32 * 1024 * 1024,
  calls: 3,
  turnMs: 5000,
};

/** Refuses to start when files cannot be kept: every upload would fail. */
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
      intakeArea(context, limits, options.documents),
      payloadArea({ client: options.client, store: options.payloadStore }),
      ...(options.areas ?? []),
    ],
  });
  return { name: 'ingest', ...server };
}
