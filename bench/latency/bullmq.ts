import { Queue, Worker } from 'bullmq';
import type { Work } from '../contender.ts';
import type { Post } from '../post.ts';
import { startSending } from './start-sending.ts';
import type { SendingPart, Way } from './way.ts';

const queueName = 'deliver';
const settings = { concurrency: 10, removeOnComplete: true };

/** The worker waits in a blocking read: Redis hands the job over when it comes. */
export const bullMq: Way = {
  name: 'bullmq-durable',
  store: 'redis-durable',
  settings: { push: 'Queue.add', ...settings },
  async prepare(redisUrl, providerUrl) {
    const queue = await openQueue(redisUrl);
    const sending = await startSending('bullmq-durable', redisUrl, providerUrl);
    return {
      push: async (post) => void (await queue.add(queueName, post)),
      async close() {
        await sending.stop();
        await queue.close();
      },
    };
  },
};

/** The worker, in the process that sends. */
export async function startSendingBullMq(redisUrl: string, work: Work): Promise<SendingPart> {
  const { concurrency } = settings;
  const queue = await openQueue(redisUrl);
  const worker = new Worker<Post>(queueName, (job) => work(job.data), {
    connection: connectionTo(redisUrl),
    concurrency,
  });
  await worker.waitUntilReady();
  return {
    take: async (post) => void (await queue.add(queueName, post)),
    async stop() {
      await worker.close();
      await queue.close();
    },
  };
}

async function openQueue(redisUrl: string): Promise<Queue<Post>> {
  const { removeOnComplete } = settings;
  const queue = new Queue<Post>(queueName, {
    connection: connectionTo(redisUrl),
    defaultJobOptions: { removeOnComplete },
  });
  await queue.waitUntilReady();
  return queue;
}

function connectionTo(redisUrl: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(redisUrl);
  return { host, port: Number(port) };
}
