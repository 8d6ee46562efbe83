import pg from 'pg';
import type { Contender, PreparedQueue } from '../contender.ts';
import { postsInSlices } from '../post.ts';

export interface GraphileWorkerSettings {
  readonly localQueueSize: number;
  readonly completeJobBatchDelay: number;
  readonly concurrentJobs: number;
  readonly maxPoolSize: number;
}

const TASK = 'deliver';

export const BEST_GRAPHILE_WORKER: GraphileWorkerSettings = {
  localQueueSize: 500,
  completeJobBatchDelay: 0,
  concurrentJobs: 24,
  maxPoolSize: 10,
};

export function graphileWorker(settings: GraphileWorkerSettings = BEST_GRAPHILE_WORKER): Contender {
  return {
    name: 'graphile-worker',
    store: 'postgres',
    settings: { ...settings },
    prepare: (databaseUrl) => prepare(databaseUrl, settings),
  };
}

async function prepare(databaseUrl: string, settings: GraphileWorkerSettings): Promise<PreparedQueue> {
  // Read once at import: without it the worker formats a line of log for every job.
  process.env['NO_LOG_SUCCESS'] = '1';
  const { Logger, makeWorkerUtils, run } = await import('graphile-worker');
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: settings.maxPoolSize });
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined)); // it asks for both
  const options = {
    pgPool,
    logger: new Logger(() => () => undefined),
    noHandleSignals: true,
    parsedCronItems: [],
    preset: {
      worker: {
        localQueue: { size: settings.localQueueSize },
        completeJobBatchDelay: settings.completeJobBatchDelay,
        failJobBatchDelay: settings.completeJobBatchDelay,
        concurrentJobs: settings.concurrentJobs,
        maxPoolSize: settings.maxPoolSize,
      },
    },
  };
  const utils = await makeWorkerUtils(options);
  await utils.migrate();

  return {
    async seed(count) {
      for (const posts of postsInSlices(count, 5000)) {
        await utils.addJobs(posts.map((payload) => ({ identifier: TASK, payload })));
      }
    },
    async drain(count) {
      const handled = Promise.withResolvers<void>();
      let done = 0;
      const deliver = (): void => {
        done += 1;
        if (done === count) handled.resolve();
      };
      const runner = await run({ ...options, taskList: { [TASK]: deliver } });
      await handled.promise;
      await runner.stop(); // waits for the batched completions
    },
    async remaining() {
      const { rows } = await pgPool.query<{ count: number }>('select count(*)::int as count from graphile_worker.jobs');
      return rows[0]?.count ?? Number.NaN;
    },
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}
