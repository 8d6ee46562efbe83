import pg from 'pg';
import type { Contender, PreparedQueue, Work } from '../contender.ts';
import { countRows } from '../count-rows.ts';
import { type Post, postsInSlices } from '../post.ts';

interface Settings {
  /** Jobs fetched and locked at once. */
  readonly localQueueSize: number;
  /** Milliseconds that a completion waits for others to join its statement. */
  readonly completeJobBatchDelay: number;
  readonly concurrentJobs: number;
  readonly maxPoolSize: number;
}

// The documentation's fast preset (24 concurrent jobs, local queue 500, delay 0), with the local queue enlarged until
// that gained nothing more: 500 → 4000 +5 %, → 8000 +12 %, → 16000 −5 % against 8000.
// Delays of 5 to 100 ms, 1 to 100 concurrent jobs and pools of 3 to 25 make no difference here.
const best: Settings = {
  localQueueSize: 8000,
  completeJobBatchDelay: 0,
  concurrentJobs: 24,
  maxPoolSize: 10,
};

const swept: Settings[] = [250, 500, 1000, 2000, 4000, 8000, 16000].flatMap((localQueueSize) =>
  [0, 25].flatMap((completeJobBatchDelay) =>
    [10, 24].map((concurrentJobs) => ({
      ...best,
      localQueueSize,
      completeJobBatchDelay,
      concurrentJobs,
    })),
  ),
);

const task = 'deliver';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      [task]: Post;
    }
  }
}

export function graphileWorker(batch?: number): Contender {
  return contender({ ...best, localQueueSize: batch ?? best.localQueueSize });
}

export const graphileWorkerSweep = swept.map((settings) => contender(settings));

// As many jobs at once as there are HTTP requests; the rest as in the drain.
const bestSending: Settings = { ...best, concurrentJobs: 100 };

export function graphileWorkerSending(work: Work): Contender {
  return contender(bestSending, work);
}

export function graphileWorkerSendingSweep(work: Work): Contender[] {
  return [24, 50, 100, 200, 400].flatMap((concurrentJobs) =>
    [500, 8000].map((localQueueSize) =>
      contender({ ...bestSending, concurrentJobs, localQueueSize }, work),
    ),
  );
}

function contender(settings: Settings, work?: Work): Contender {
  return {
    name: 'graphile-worker',
    store: 'postgres',
    settings: { ...settings },
    prepare: (databaseUrl) => prepare(databaseUrl, settings, work),
  };
}

async function prepare(
  databaseUrl: string,
  settings: Settings,
  work: Work | undefined,
): Promise<PreparedQueue> {
  // Read once at import; without it the worker writes a line of log for every job.
  process.env['NO_LOG_SUCCESS'] = '1';
  const { Logger, makeWorkerUtils, run } = await import('graphile-worker');
  const { localQueueSize, completeJobBatchDelay, concurrentJobs, maxPoolSize } = settings;
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: maxPoolSize });
  pgPool.on('error', () => undefined); // the library asks for both listeners
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  const options = {
    pgPool,
    logger: new Logger(() => () => undefined),
    noHandleSignals: true,
    parsedCronItems: [],
    preset: {
      worker: {
        localQueue: { size: localQueueSize },
        completeJobBatchDelay,
        failJobBatchDelay: completeJobBatchDelay,
        concurrentJobs,
        maxPoolSize,
      },
    },
  };
  const utils = await makeWorkerUtils(options);
  await utils.migrate();

  return {
    async seed(count, text) {
      for (const posts of postsInSlices(count, 5000, text)) {
        await utils.addJobs(posts.map((payload) => ({ identifier: task, payload })));
      }
    },
    async drain(count) {
      const handled = Promise.withResolvers<void>();
      let done = 0;
      const finish = (): void => {
        done += 1;
        if (done === count) handled.resolve();
      };
      const send = async (job: Post): Promise<void> => work?.(job).then(finish);
      const runner = await run({
        ...options,
        taskList: { [task]: work === undefined ? finish : send },
      });
      await handled.promise;
      await runner.stop(); // waits for the batched completions
    },
    remaining: () => countRows(databaseUrl, 'graphile_worker.jobs'),
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}
