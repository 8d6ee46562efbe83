import pg from 'pg';
import type { Work } from '../contender.ts';
import type { Post } from '../post.ts';
import { startSending } from './start-sending.ts';
import type { SendingPart, Way } from './way.ts';

// LISTEN/NOTIFY always wakes the worker. It fetches a job at once and alone: with one job, a local queue would only add
// a step, and completions that wait for others would only come later.
const settings = { concurrentJobs: 10, localQueue: 'none', completeJobBatchDelay: -1 };

const task = 'deliver';

export const graphileWorker: Way = {
  name: 'graphile-worker',
  store: 'postgres',
  settings: { push: 'addJob', ...settings },
  async prepare(databaseUrl, providerUrl) {
    const { makeWorkerUtils } = await import('graphile-worker');
    const pool = openPool(databaseUrl);
    const utils = await makeWorkerUtils({ pgPool: pool, logger: await silence() });
    await utils.migrate();
    const sending = await startSending('graphile-worker', databaseUrl, providerUrl);
    return {
      push: async (post) => void (await utils.addJob(task, post)),
      async close() {
        await sending.stop();
        await utils.release();
        await pool.end();
      },
    };
  },
};

/** The worker, in the process that sends. */
export async function startSendingGraphileWorker(
  databaseUrl: string,
  work: Work,
): Promise<SendingPart> {
  process.env['NO_LOG_SUCCESS'] = '1'; // read at import
  const { run } = await import('graphile-worker');
  const pool = openPool(databaseUrl);
  const runner = await run({
    pgPool: pool,
    logger: await silence(),
    noHandleSignals: true,
    parsedCronItems: [],
    preset: {
      worker: {
        concurrentJobs: settings.concurrentJobs,
        completeJobBatchDelay: settings.completeJobBatchDelay,
      },
    },
    taskList: { [task]: (post: Post) => work(post) },
  });
  return {
    take: async (post) => void (await runner.addJob(task, post)),
    async stop() {
      await runner.stop();
      await pool.end();
    },
  };
}

async function silence() {
  const { Logger } = await import('graphile-worker');
  return new Logger(() => () => undefined);
}

/** Idle connections stay open and keep the plans that they have made. */
function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 10, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined); // the library asks for both listeners
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
