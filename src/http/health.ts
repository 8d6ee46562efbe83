// GET /healthz: whether the process is alive. GET /readyz: whether all its services do their work.

import { z } from 'zod';
import { OutriderError } from '../errors.ts';
import { type Health, healthy, type NamedHealth } from '../service.ts';
import type { Area } from './server.ts';

export const Alive = z.strictObject({ alive: z.literal(true) });

export const alive: z.input<typeof Alive> = { alive: true };

const ServiceHealth = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  reason: z.string().optional(),
});

export const Readiness = z
  .strictObject({ ready: z.boolean(), services: z.array(ServiceHealth) })
  .meta({ description: 'Whether every service does its work, and if not, why.' });

export type Readiness = z.input<typeof Readiness>;

export interface HealthOptions {
  /** Asks the database anything: only whether it answers counts. */
  readonly askDatabase: () => Promise<unknown>;
  /** How long the database may take; 2 s unless given. */
  readonly databaseMs?: number | undefined;
  /** The health of each service of this process. */
  health(): readonly NamedHealth[];
}

export function healthArea(options: HealthOptions): Area {
  return async (app) => {
    const config = { isProbe: true };
    app.get('/healthz', { config }, (_request, reply) =>
      reply.answer({ status: 200, body: alive }),
    );
    app.get('/readyz', { config }, async (_request, reply) => {
      const body = await readinessOf(options);
      return reply.answer({ status: body.ready ? 200 : 503, body });
    });
  };
}

/** What `/readyz` answers. */
export async function readinessOf(options: HealthOptions): Promise<Readiness> {
  const ofServices = options.health();
  const all = [{ name: 'database', health: await databaseHealth(options) }, ...ofServices];
  const services = all.map(({ name, health }) => ({ name, ...health }));
  return { ready: services.every(({ ok }) => ok), services };
}

async function databaseHealth({ askDatabase, databaseMs = 2000 }: HealthOptions): Promise<Health> {
  const { promise: late, resolve } = Promise.withResolvers<Health>();
  const reason = `no answer within ${databaseMs} ms`;
  const timer = setTimeout(() => resolve({ ok: false, reason }), databaseMs);
  const answered = askDatabase().then(() => healthy, unhealthy);
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Quotes only our own error: anybody may ask, and the words of another may contain a secret.
function unhealthy(error: unknown): Health {
  const isAway = error instanceof OutriderError && error.code === 'database_away';
  return { ok: false, reason: isAway ? error.message : 'the database does not do its work' };
}
