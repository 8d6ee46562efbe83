import { Queue, Worker } from 'bullmq';
import type { Work } from '../contender.ts';
import type { Post } from '../post.ts';
import { startSending } from './start-sending.ts';
import type { Way } from './way.ts';

const queueName = 'deliver';
const settings = { concurrency: 10, removeOnComplete: true };

/** Its worker waits in a blocking read: Redis hands the job over when it comes. */
export const bullMq: Way = {
  name: 'bullmq-durable',
  store: 'redis-durable',
  settings: { push: 'Queue.add', ...settings },
  async prepare(redisUrl, providerUrl) {
    const { removeOnComplete } = settings;
    const queue = new Queue<Post>(queueName, {
      connection: connectionTo(redisUrl),
      defaultJobOptions: { removeOnComplete },
    });
    await queue.waitUntilReady();
    const sending = await startSending('bullmq', redisUrl, providerUrl);
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
export async function startSendingBullMq(
  redisUrl: string,
  work: Work,
): Promise<{ stop(): Promise<void> }> {
  const { concurrency } = settings;
  const worker = new Worker<Post>(queueName, (job) => work(job.data), {
    connection: connectionTo(redisUrl),
    concurrency,
  });
  await worker.waitUntilReady();
  return { stop: () => worker.close() };
}

function connectionTo(redisUrl: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(redisUrl);
  return { host, port: Number(port) };
}
