import { PgBoss } from 'pg-boss';
import type { Contender, PreparedQueue } from '../contender.ts';
import { postsInSlices } from '../post.ts';

export interface PgBossSettings {
  readonly batchSize: number;
  /** Parallel workers (`work`) or parallel loops (`fetch`) in this process. */
  readonly localConcurrency: number;
  /** A table of its own for the queue. */
  readonly partition: boolean;
}

type Drain = (boss: PgBoss, count: number, settings: PgBossSettings) => Promise<void>;

const QUEUE = 'deliver';

export const BEST_PG_BOSS_WORK: PgBossSettings = { batchSize: 500, localConcurrency: 2, partition: false };
export const BEST_PG_BOSS_FETCH: PgBossSettings = { batchSize: 500, localConcurrency: 1, partition: false };

export function pgBossWork(settings: PgBossSettings = BEST_PG_BOSS_WORK): Contender {
  return contender('pg-boss work', settings, drainByWork);
}

export function pgBossFetch(settings: PgBossSettings = BEST_PG_BOSS_FETCH): Contender {
  return contender('pg-boss fetch', settings, drainByFetch);
}

function contender(name: string, settings: PgBossSettings, drain: Drain): Contender {
  return {
    name,
    store: 'postgres',
    settings: { ...settings },
    prepare: (databaseUrl) => prepare(databaseUrl, settings, drain),
  };
}

async function prepare(databaseUrl: string, settings: PgBossSettings, drain: Drain): Promise<PreparedQueue> {
  // Supervision and cron are background work that a short drain should not pay for.
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue(QUEUE, { partition: settings.partition });

  return {
    async seed(count) {
      for (const posts of postsInSlices(count, 5000)) {
        await boss.insert(QUEUE, posts.map((data) => ({ data })));
      }
    },
    drain: (count) => drain(boss, count, settings),
    async remaining() {
      const { rows } = await boss.getDb().executeSql("select count(*)::int as count from pgboss.job where state < 'completed'");
      return Number(rows[0]?.count);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

async function drainByWork(boss: PgBoss, count: number, settings: PgBossSettings): Promise<void> {
  const handled = Promise.withResolvers<void>();
  let done = 0;
  await boss.work(
    QUEUE,
    { batchSize: settings.batchSize, localConcurrency: settings.localConcurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    async (jobs) => {
      done += jobs.length;
      if (done >= count) handled.resolve();
    },
  );
  await handled.promise;
  await boss.offWork(QUEUE, { wait: true }); // waits for the completions
}

async function drainByFetch(boss: PgBoss, _count: number, settings: PgBossSettings): Promise<void> {
  await Promise.all(Array.from({ length: settings.localConcurrency }, () => fetchUntilEmpty(boss, settings.batchSize)));
}

/** The next batch is fetched while the last one is being completed. */
async function fetchUntilEmpty(boss: PgBoss, batchSize: number): Promise<void> {
  let completing: Promise<unknown> = Promise.resolve();
  for (;;) {
    const jobs = await boss.fetch(QUEUE, { batchSize });
    await completing;
    if (jobs.length === 0) return;
    completing = boss.complete(QUEUE, jobs.map((job) => job.id));
  }
}
