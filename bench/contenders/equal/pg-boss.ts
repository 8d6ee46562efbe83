import { setTimeout as delay } from 'node:timers/promises';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import { countRows } from '../../count-rows.ts';
import { channelCount } from '../../outrider/workload.ts';
import { postsInSlices } from '../../post.ts';
import { type Attempt, type Delivery, type Duties, type Ended, openDuties } from './duties.ts';
import type { EqualContender, EqualQueue, Sends } from './queue.ts';

const queue = 'deliver';
const lookEveryMs = 500;

interface Settings {
  /** Whether a duty is one call for a whole batch, or one call for each of its jobs. */
  readonly batches: boolean;
  readonly batchSize: number;
}

/** What a worker performs jobs with. */
interface Means extends Sends, Settings {
  readonly boss: PgBoss;
  readonly duties: Duties;
}

/** A handler that is written for one job, and runs for all jobs of a batch at once. */
export function pgBossByOne(sends: Sends): EqualContender {
  return contender('pg-boss-by-one', { batches: false, batchSize: 100 }, sends);
}

/**
 * A handler that is written for a batch. It does not use `work` with `perJobResults`: the statement of that searches
 * the whole batch for each of its jobs.
 */
export function pgBossBatched(sends: Sends): EqualContender {
  return contender('pg-boss-batched', { batches: true, batchSize: 2000 }, sends);
}

function contender(name: string, settings: Settings, sends: Sends): EqualContender {
  return {
    name,
    store: 'postgres',
    settings: { ...settings, by: 'fetch, complete and fail', postsPerCall: 100 },
    prepare: (databaseUrl) => prepare(databaseUrl, settings, sends),
  };
}

async function prepare(databaseUrl: string, settings: Settings, sends: Sends): Promise<EqualQueue> {
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  const retries = { retryLimit: sends.attempts - 1, retryBackoff: true, retryDelay: 2 };
  await boss.createQueue(queue, retries);
  const duties = await openDuties(databaseUrl);

  return {
    async seed(count) {
      for (const posts of postsInSlices(count / channelCount, 100)) {
        await duties.enqueue(posts, (tx, jobs) => {
          const db = { executeSql: (text: string, values?: unknown[]) => tx.query(text, values) };
          const inserts = jobs.map((data) => ({ data }));
          return boss.insert(queue, inserts, { db });
        });
      }
    },
    drain: (count) => drain({ boss, duties, ...settings, ...sends }, count),
    remaining: () => countRows(databaseUrl, "pgboss.job where state < 'completed'"),
    sent: () => countRows(databaseUrl, 'duties.attempts where message_id is not null'),
    dead: () => countRows(databaseUrl, 'duties.dead_letters'),
    async close() {
      await boss.stop({ graceful: false });
      await duties.close();
    },
  };
}

/** The next batch is fetched while the last one is sent and completed. */
async function drain(means: Means, count: number): Promise<void> {
  const { boss, batchSize } = means;
  let performing: Promise<void> = Promise.resolve();
  for (let done = 0; done < count; ) {
    const jobs = await boss.fetch<Delivery>(queue, { batchSize, includeMetadata: true });
    await performing;
    if (jobs.length === 0) await delay(lookEveryMs);
    else performing = perform(means, jobs);
    done += jobs.length;
  }
  await performing;
}

async function perform(means: Means, jobs: readonly JobWithMetadata<Delivery>[]): Promise<void> {
  const { boss, duties } = means;
  const attempts = jobs.map(({ id, data, retryCount }) => ({
    jobId: id,
    attempt: retryCount + 1,
    delivery: data,
  }));
  const ended = means.batches
    ? await sendBatch(means, attempts)
    : await Promise.all(attempts.map((each) => sendOne(means, each)));
  const sent = ended.filter(({ error }) => error === undefined);
  await boss.complete(
    queue,
    sent.map(({ jobId }) => jobId),
  );
  for (const each of ended) {
    if (each.error === undefined) continue;
    if (each.attempt === means.attempts) await duties.bury(each);
    await boss.fail(queue, each.jobId, { error: each.error }); // it tries again, later each time
  }
}

/** A send that fails does not fail the others. */
async function sendBatch(means: Means, attempts: readonly Attempt[]): Promise<Ended[]> {
  const waits = await means.duties.begin(attempts);
  const ended = await Promise.all(
    attempts.map((each, n) => sendInSlot(means, each, waits[n] ?? 0)),
  );
  await means.duties.end(ended);
  return ended;
}

async function sendOne(means: Means, attempt: Attempt): Promise<Ended> {
  const waitMs = await means.duties.beginOne(attempt);
  const ended = await sendInSlot(means, attempt, waitMs);
  await means.duties.endOne(ended);
  return ended;
}

async function sendInSlot({ send }: Sends, attempt: Attempt, waitMs: number): Promise<Ended> {
  if (waitMs > 0) await delay(waitMs);
  const error = await send(attempt.delivery.post).then(() => undefined, String);
  return { ...attempt, error };
}
