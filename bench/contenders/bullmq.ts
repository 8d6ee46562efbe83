import { Queue, Worker } from 'bullmq';
import type { Contender, PreparedQueue, StoreName } from '../contender.ts';
import { type Post, postsInSlices } from '../post.ts';

export interface BullMqSettings {
  readonly concurrency: number;
  /** Worker objects in this process, each with connections of its own. */
  readonly workers: number;
  readonly autoPipelining: boolean;
}

const QUEUE = 'deliver';

export const BEST_BULLMQ: BullMqSettings = { concurrency: 100, workers: 1, autoPipelining: false };

export function bullMqDurable(settings: BullMqSettings = BEST_BULLMQ): Contender {
  return contender('BullMQ durable', 'redis-durable', settings);
}

export function bullMqVolatile(settings: BullMqSettings = BEST_BULLMQ): Contender {
  return contender('BullMQ not durable', 'redis-volatile', settings);
}

function contender(name: string, store: StoreName, settings: BullMqSettings): Contender {
  return { name, store, settings: { ...settings, removeOnComplete: true }, prepare: (url) => prepare(url, settings) };
}

async function prepare(redisUrl: string, settings: BullMqSettings): Promise<PreparedQueue> {
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port), enableAutoPipelining: settings.autoPipelining };
  const queue = new Queue<Post>(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  let workers: Worker<Post>[] = [];

  return {
    async seed(count) {
      for (const posts of postsInSlices(count, 5000)) {
        await queue.addBulk(posts.map((data) => ({ name: QUEUE, data })));
      }
    },
    async drain(count) {
      const completed = Promise.withResolvers<void>();
      let done = 0;
      workers = Array.from({ length: settings.workers }, () => {
        const worker = new Worker<Post>(QUEUE, async () => undefined, { connection, concurrency: settings.concurrency });
        worker.on('error', completed.reject);
        return worker.on('completed', () => {
          done += 1;
          if (done === count) completed.resolve();
        });
      });
      await completed.promise;
    },
    remaining: () => queue.getJobCountByTypes('wait', 'active', 'delayed', 'prioritized', 'failed'),
    async close() {
      await Promise.all(workers.map((worker) => worker.close(true)));
      await queue.close();
    },
  };
}
