// Whether a process does its work: the database answers, and so does every service.

import { databaseTime } from '../db/health.ts';
import type { Queryable } from '../db/pool.ts';
import { OutriderError } from '../errors.ts';
import { type Health, healthy, type Service } from '../service.ts';

export interface ReadinessOptions {
  readonly client: Queryable;
  readonly services: readonly Service[];
  /** How long the database may take to answer. */
  readonly databaseMs?: number | undefined;
}

/** As `/readyz` answers. */
export interface Readiness {
  readonly ready: boolean;
  readonly services: readonly ({ readonly name: string } & Health)[];
}

export async function readinessOf(
  options: ReadinessOptions & { readonly isStopping: boolean },
): Promise<Readiness> {
  const { client, databaseMs = 2000, isStopping } = options;
  const database = await databaseHealth(client, databaseMs);
  const services: Readiness['services'] = [
    { name: 'database', ...database },
    ...options.services.map((each) => ({ name: each.name, ...each.health() })),
    ...(isStopping ? [{ name: 'process', ok: false, reason: 'it is stopping' } as const] : []),
  ];
  return { ready: services.every(({ ok }) => ok), services };
}

async function databaseHealth(client: Queryable, patienceMs: number): Promise<Health> {
  const { promise: late, resolve } = Promise.withResolvers<Health>();
  const reason = `no answer within ${patienceMs} ms`;
  const timer = setTimeout(() => resolve({ ok: false, reason }), patienceMs);
  try {
    return await Promise.race([databaseTime(client).then(() => healthy, unwell), late]);
  } finally {
    clearTimeout(timer);
  }
}

// In the words of our own errors only.
function unwell(error: unknown): Health {
  const isPlain = error instanceof OutriderError && error.code === 'database_away';
  return { ok: false, reason: isPlain ? error.message : 'the database does not do its work' };
}
