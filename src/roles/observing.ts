// How a process is observed: its metrics and where they are shown, and its traces.

import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Queryable } from '../db/pool.ts';
import type { Area } from '../http/server.ts';
import { createTransport } from '../http/transport.ts';
import type { Log } from '../log.ts';
import { metricsArea } from '../metrics/area.ts';
import { readDatabase } from '../metrics/database-metrics.ts';
import {
  createProcessMetrics,
  type PoolUse,
  type ProcessMetrics,
} from '../metrics/process-metrics.ts';
import { type Observer, observedBy, type Watcher } from '../observer.ts';
import { ownVersion } from '../own-version.ts';
import type { Secrets } from '../secrets.ts';
import { createExporter } from '../tracing/exporter.ts';
import { createTracer } from '../tracing/tracer.ts';
import { tracingSettingsOf } from '../tracing-settings.ts';
import { createTrouble } from '../trouble.ts';

export interface Observing {
  readonly observer: Observer;
  /** Whether the counters that last are to be counted. */
  readonly countsMetrics: boolean;
  watchPool(purpose: string, pool: PoolUse): void;
  /** What a server needs in order to show the metrics. `client` asks the database; undefined: it may not. */
  areas(client: (() => Queryable) | undefined): readonly Area[];
  /** Hands over what is left of the traces. */
  stop(): Promise<void>;
}

export interface ObservingOptions {
  readonly config: Pick<Config, 'metrics' | 'tracing'>;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly clock: Clock;
}

export function openObserving(options: ObservingOptions): Observing {
  const { metrics } = options.config;
  const measured = metrics.access === 'off' ? undefined : createProcessMetrics(ownVersion());
  const traced = openTracing(options, measured);
  const watchers = [measured, traced?.tracer].filter((each) => each !== undefined);
  return {
    observer: observedBy(watchers),
    countsMetrics: measured !== undefined,
    watchPool: (purpose, pool) => measured?.watchPool(purpose, pool),
    areas(client) {
      if (measured === undefined) return [];
      const ofDatabase = client === undefined ? undefined : readDatabase(client);
      return [metricsArea({ ...options, ...metrics, ofProcess: measured, ofDatabase })];
    },
    async stop() {
      measured?.stop();
      await traced?.stop();
    },
  };
}

interface Tracing {
  readonly tracer: Watcher;
  stop(): Promise<void>;
}

function openTracing(
  { config, log, clock }: ObservingOptions,
  measured: ProcessMetrics | undefined,
): Tracing | undefined {
  const settings = tracingSettingsOf(config.tracing);
  if (settings === undefined) return undefined;
  const transport = createTransport({ connections: 2 });
  const version = ownVersion();
  const exporter = createExporter({
    settings,
    transport,
    resource: {
      version,
      attributes: {
        'service.name': settings.serviceName,
        'service.version': version,
        'service.instance.id': randomUUID(),
        'host.name': os.hostname(),
        'process.pid': process.pid,
        ...settings.attributes,
      },
    },
    trouble: createTrouble(log, clock, {
      failed: 'traces cannot be handed to the collector; they are dropped',
      over: 'traces are handed to the collector again',
    }),
    onSpans: (outcome, spans) => measured?.countSpans(outcome, spans),
  });
  return {
    tracer: createTracer({ exporter, sampling: settings.sampling }),
    async stop() {
      await exporter.stop();
      await transport.close();
    },
  };
}
