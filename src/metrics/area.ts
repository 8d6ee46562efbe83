// GET /metrics: all metrics, as Prometheus reads them. `?source=process` or `?source=database` shows a part: of many
// processes one is enough to tell what the database tells.

import { refusalOf } from '../http/refusal.ts';
import type { Area } from '../http/server.ts';
import { type AccessOptions, refuseStranger } from './access.ts';
import { metricNamed } from './catalogue.ts';
import type { DatabaseMetrics } from './database-metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import { contentType, type Family, inTextFormat } from './text-format.ts';

export interface MetricsAreaOptions extends AccessOptions {
  readonly ofProcess: Pick<ProcessMetrics, 'families'>;
  /** Undefined: the login of this process may not ask for it. */
  readonly ofDatabase: DatabaseMetrics | undefined;
}

export function metricsArea(options: MetricsAreaOptions): Area {
  return async (app) => {
    app.get('/metrics', { config: { isProbe: true } }, async (request, reply) => {
      const stranger = await refuseStranger(options, request.raw);
      if (stranger !== undefined) return reply.answer(stranger);
      const source = new URL(request.url, 'http://localhost').searchParams.get('source');
      if (source !== null && source !== 'process' && source !== 'database') {
        const message = 'source is neither process nor database';
        return reply.answer(refusalOf(400, { code: 'unknown_source', message }, {}));
      }
      const families = [
        ...(source === 'process' ? [] : await databaseFamilies(options.ofDatabase)),
        ...(source === 'database' ? [] : options.ofProcess.families()),
      ];
      const headers = { 'content-type': contentType };
      return reply.answer({ status: 200, body: inTextFormat(families), headers });
    });
  };
}

async function databaseFamilies(database: DatabaseMetrics | undefined): Promise<Family[]> {
  if (database === undefined) return [];
  const families = await database.families();
  const { name, type, help } = metricNamed('outrider_database_up');
  const value = families === undefined ? 0 : 1;
  return [{ name, type, help, samples: [{ labels: {}, value }] }, ...(families ?? [])];
}
