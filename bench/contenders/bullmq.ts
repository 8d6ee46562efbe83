import { Queue, Worker } from 'bullmq';
import type { Contender, PreparedQueue, StoreName, Work } from '../contender.ts';
import { type Post, postsInSlices } from '../post.ts';

interface Settings {
  readonly concurrency: number;
  /** Worker objects in this process, each with connections of its own. */
  readonly workers: number;
}

// The rate is the same from a concurrency of 50 to 500; 10 is slower. More workers in the process gain nothing
// without the log, and up to 10 % with it, because they share the wait for the disk. Finished jobs are removed at
// once. With ioredis's auto-pipelining it was 40 % slower.
const bestVolatile: Settings = { concurrency: 100, workers: 1 };
const bestDurable: Settings = { concurrency: 200, workers: 2 };

const swept: Settings[] = [10, 50, 100, 200, 500].flatMap((concurrency) =>
  [1, 2, 4].map((workers) => ({ concurrency, workers })),
);

const queueName = 'deliver';

const nothing: Work = async () => undefined;

export function bullMqVolatile(): Contender {
  return contender('redis-volatile', bestVolatile);
}

export function bullMqDurable(): Contender {
  return contender('redis-durable', bestDurable);
}

// All workers together run as many jobs at once as there are HTTP requests.
const bestSending: Settings = { concurrency: 50, workers: 2 };

export function bullMqSending(work: Work): Contender {
  return contender('redis-durable', bestSending, work);
}

export function bullMqSendingSweep(work: Work): Contender[] {
  return [25, 50, 100, 200].flatMap((concurrency) =>
    [1, 2, 4].map((workers) => contender('redis-durable', { concurrency, workers }, work)),
  );
}

export const bullMqSweep = [
  ...swept.map((settings) => contender('redis-volatile', settings)),
  ...swept.map((settings) => contender('redis-durable', settings)),
];

function contender(
  store: Exclude<StoreName, 'postgres'>,
  settings: Settings,
  work: Work = nothing,
): Contender {
  return {
    name: store === 'redis-durable' ? 'bullmq-durable' : 'bullmq-volatile',
    store,
    settings: { ...settings, removeOnComplete: true },
    prepare: (redisUrl) => prepare(redisUrl, settings, work),
  };
}

async function prepare(redisUrl: string, settings: Settings, work: Work): Promise<PreparedQueue> {
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port) };
  const queue = new Queue<Post>(queueName, {
    connection,
    defaultJobOptions: { removeOnComplete: true },
  });
  await queue.waitUntilReady();
  let workers: Worker<Post>[] = [];

  return {
    async seed(count, text) {
      for (const posts of postsInSlices(count, 5000, text)) {
        await queue.addBulk(posts.map((data) => ({ name: queueName, data })));
      }
    },
    async drain(count) {
      const completed = Promise.withResolvers<void>();
      let done = 0;
      const onCompleted = (): void => {
        done += 1;
        if (done === count) completed.resolve();
      };
      workers = Array.from({ length: settings.workers }, () =>
        new Worker<Post>(queueName, (job) => work(job.data), {
          connection,
          concurrency: settings.concurrency,
        })
          .on('error', completed.reject)
          .on('completed', onCompleted),
      );
      await completed.promise;
    },
    remaining: () => queue.getJobCountByTypes('wait', 'active', 'delayed', 'prioritized', 'failed'),
    async close() {
      await Promise.all(workers.map((worker) => worker.close(true)));
      await queue.close();
    },
  };
}
