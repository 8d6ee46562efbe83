import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'graphile-worker';
import pg from 'pg';
import { countRows } from '../../count-rows.ts';
import { channelCount } from '../../outrider/workload.ts';
import { postsInSlices } from '../../post.ts';
import { type Attempt, type Delivery, type Duties, type Ended, openDuties } from './duties.ts';
import { gather } from './gather.ts';
import type { EqualContender, EqualQueue, Sends } from './queue.ts';

interface Settings {
  /** Whether the duties of jobs that run at the same time share their calls. */
  readonly gathers: boolean;
  readonly localQueueSize: number;
  readonly concurrentJobs: number;
}

const task = 'deliver_equally';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      [task]: Delivery;
    }
  }
}

/** A task as its documentation teaches it: it awaits what its job needs. */
export function graphileWorkerByOne(sends: Sends): EqualContender {
  const settings = { gathers: false, localQueueSize: 8000, concurrentJobs: 24 };
  return contender('graphile-worker-by-one', settings, sends);
}

/** A task as somebody writes it who has seen what the calls of single jobs cost. */
export function graphileWorkerGathered(sends: Sends): EqualContender {
  const settings = { gathers: true, localQueueSize: 8000, concurrentJobs: 1000 };
  return contender('graphile-worker-gathered', settings, sends);
}

function contender(name: string, settings: Settings, sends: Sends): EqualContender {
  return {
    name,
    store: 'postgres',
    settings: { ...settings, postsPerCall: 100 },
    prepare: (databaseUrl) => prepare(databaseUrl, settings, sends),
  };
}

async function prepare(databaseUrl: string, settings: Settings, sends: Sends): Promise<EqualQueue> {
  process.env['NO_LOG_SUCCESS'] = '1'; // read at import
  const { Logger, makeWorkerUtils, run } = await import('graphile-worker');
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  pgPool.on('error', () => undefined); // the library asks for both listeners
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  const { localQueueSize, concurrentJobs } = settings;
  const options = {
    pgPool,
    logger: new Logger(() => () => undefined),
    noHandleSignals: true,
    parsedCronItems: [],
    preset: {
      worker: {
        localQueue: { size: localQueueSize },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        concurrentJobs,
        maxPoolSize: 10,
      },
    },
  };
  const utils = await makeWorkerUtils(options);
  await utils.migrate();
  const duties = await openDuties(databaseUrl);
  const perform = performWith(duties, settings, sends);
  const add = (tx: pg.ClientBase, jobs: Delivery[]): Promise<unknown> =>
    tx.query(
      `select graphile_worker.add_jobs(
         array(select json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`,
      [JSON.stringify(jobs.map((payload) => specOf(payload, sends.attempts)))],
    );

  return {
    async seed(count) {
      for (const posts of postsInSlices(count / channelCount, 100))
        await duties.enqueue(posts, add);
    },
    async drain(count) {
      const handled = Promise.withResolvers<void>();
      let done = 0;
      const runner = await run({
        ...options,
        taskList: {
          [task]: (delivery, { job }) =>
            perform(delivery, job).finally(() => {
              done += 1;
              if (done === count) handled.resolve();
            }),
        },
      });
      await handled.promise;
      await runner.stop(); // waits for the batched completions
    },
    remaining: () => countRows(databaseUrl, 'graphile_worker.jobs where attempts < max_attempts'),
    sent: () => countRows(databaseUrl, 'duties.attempts where message_id is not null'),
    dead: () => countRows(databaseUrl, 'duties.dead_letters'),
    async close() {
      await utils.release();
      await pgPool.end();
      await duties.close();
    },
  };
}

function specOf(payload: Delivery, attempts: number): object {
  return { identifier: task, payload, max_attempts: attempts };
}

function performWith(
  duties: Duties,
  { gathers }: Settings,
  { send }: Sends,
): (delivery: Delivery, job: Job) => Promise<void> {
  const begin = gathers
    ? gather((attempts: readonly Attempt[]) => duties.begin(attempts))
    : (attempt: Attempt): Promise<number> => duties.beginOne(attempt);
  const end = gathers
    ? gather(async (ended: readonly Ended[]) => {
        await duties.end(ended);
        return ended.map(() => undefined);
      })
    : (ended: Ended): Promise<void> => duties.endOne(ended);

  return async (delivery, job) => {
    const attempt = { jobId: job.id, attempt: job.attempts, delivery };
    const waitMs = await begin(attempt);
    if (waitMs > 0) await delay(waitMs);
    const error = await send(delivery.post).then(() => undefined, String);
    const ended = { ...attempt, error };
    await end(ended);
    if (error === undefined) return;
    if (job.attempts >= job.max_attempts) await duties.bury(ended);
    throw new Error(error); // the library tries again, later each time
  };
}
