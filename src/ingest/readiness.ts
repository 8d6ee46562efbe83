// GET /readyz: whether what is sent here would be taken in and sent on.

import type { z } from 'zod';
import { databaseTime } from '../db/health.ts';
import { OutriderError } from '../errors.ts';
import { type Health, healthy } from '../service.ts';
import type { Answer, Readiness } from './answers.ts';
import type { IngestContext } from './context.ts';

export async function readiness(context: IngestContext): Promise<Answer> {
  const all = [{ name: 'database', health: await databaseHealth(context) }, ...context.health()];
  const services = all.map(({ name, health }) => ({ name, ...health }));
  const ready = services.every(({ ok }) => ok);
  const body: z.input<typeof Readiness> = { ready, services };
  return { status: ready ? 200 : 503, body };
}

async function databaseHealth({ client, patience }: IngestContext): Promise<Health> {
  const { promise: late, resolve } = Promise.withResolvers<Health>();
  const reason = `no answer within ${patience.databaseMs} ms`;
  const timer = setTimeout(() => resolve({ ok: false, reason }), patience.databaseMs);
  const answered = databaseTime(client).then(() => healthy, unhealthy);
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}

// In the words of our own errors only.
function unhealthy(error: unknown): Health {
  const isPlain = error instanceof OutriderError && error.code === 'database_away';
  return { ok: false, reason: isPlain ? error.message : 'the database does not do its work' };
}
