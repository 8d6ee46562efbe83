import { PgBoss } from 'pg-boss';
import type { Contender, PreparedQueue } from '../contender.ts';
import { countRows } from '../count-rows.ts';
import { postsInSlices } from '../post.ts';

interface Settings {
  readonly batchSize: number;
  /** Parallel workers (`work`) or parallel loops (`fetch`), all in this process. */
  readonly localConcurrency: number;
  /** A table of its own for the queue. */
  readonly partition: boolean;
}

type Drain = (boss: PgBoss, count: number, settings: Settings) => Promise<void>;

// Batches were enlarged until that gained nothing more: 500 → 4000 +30 %, 8000 a little more, 16000 no more. One worker
// waits for its own completions, two overlap (+50 %), a third adds nothing. A fetch loop overlaps by itself; a second
// loop adds nothing at this size. A partition for the queue makes no difference.
const bestWork: Settings = { batchSize: 8000, localConcurrency: 2, partition: false };
const bestFetch: Settings = { batchSize: 8000, localConcurrency: 1, partition: false };

const swept: Settings[] = [250, 500, 1000, 2000, 4000, 8000, 16000].flatMap((batchSize) =>
  [1, 2, 3].map((localConcurrency) => ({ batchSize, localConcurrency, partition: false })),
);

const queue = 'deliver';

export function pgBossWork(batch?: number): Contender {
  return byWork({ ...bestWork, batchSize: batch ?? bestWork.batchSize });
}

export function pgBossFetch(batch?: number): Contender {
  return byFetch({ ...bestFetch, batchSize: batch ?? bestFetch.batchSize });
}

export const pgBossSweep = [...swept.map(byWork), ...swept.map(byFetch)];

function byWork(settings: Settings): Contender {
  return contender('pg-boss-work', settings, drainByWork);
}

function byFetch(settings: Settings): Contender {
  return contender('pg-boss-fetch', settings, drainByFetch);
}

function contender(name: string, settings: Settings, drain: Drain): Contender {
  return {
    name,
    store: 'postgres',
    settings: { ...settings },
    prepare: (databaseUrl) => prepare(databaseUrl, settings, drain),
  };
}

async function prepare(url: string, settings: Settings, drain: Drain): Promise<PreparedQueue> {
  // Supervision and cron are background work that a short drain should not pay for.
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(queue, { partition: settings.partition });

  return {
    async seed(count, text) {
      for (const posts of postsInSlices(count, 5000, text)) {
        await boss.insert(
          queue,
          posts.map((data) => ({ data })),
        );
      }
    },
    drain: (count) => drain(boss, count, settings),
    remaining: () => countRows(url, "pgboss.job where state < 'completed'"),
    close: () => boss.stop({ graceful: false }),
  };
}

async function drainByWork(boss: PgBoss, count: number, settings: Settings): Promise<void> {
  const { batchSize, localConcurrency } = settings;
  const handled = Promise.withResolvers<void>();
  let done = 0;
  await boss.work(
    queue,
    { batchSize, localConcurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    async (jobs) => {
      done += jobs.length;
      if (done >= count) handled.resolve();
    },
  );
  await handled.promise;
  await boss.offWork(queue, { wait: true }); // waits for the completions
}

async function drainByFetch(boss: PgBoss, _count: number, settings: Settings): Promise<void> {
  const loop = (): Promise<void> => fetchUntilEmpty(boss, settings.batchSize);
  await Promise.all(Array.from({ length: settings.localConcurrency }, loop));
}

/** The next batch is fetched while the last one is being completed. */
async function fetchUntilEmpty(boss: PgBoss, batchSize: number): Promise<void> {
  let completing: Promise<unknown> = Promise.resolve();
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize });
    await completing;
    if (jobs.length === 0) return;
    completing = boss.complete(
      queue,
      jobs.map((job) => job.id),
    );
  }
}
