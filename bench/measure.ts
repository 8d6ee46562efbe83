import type { Contender } from './contender.ts';
import type { Store } from './stores/store.ts';

/** What one drain cost. */
export interface Measurement {
  readonly jobsPerSecond: number;
  /** CPU of the store's server (PostgreSQL or Redis), µs per job. */
  readonly storeCpuMicros: number;
  /** CPU of this process, where all workers run, µs per job. */
  readonly nodeCpuMicros: number;
  /** Bytes of durability log per job: WAL of PostgreSQL, append-only file of Redis. */
  readonly logBytes: number;
}

/** What a round is made of. */
export interface Round {
  readonly jobs: number;
  /** Whether the tables have statistics when it begins. */
  readonly statistics: boolean;
  /** The text of the posts, if it is not the usual one. */
  readonly text?: string | undefined;
}

/** One round of one contender: seeds a fresh database, lets it settle, then measures the drain. */
export async function measureDrain(
  contender: Contender,
  store: Store,
  { jobs, statistics, text }: Round,
): Promise<Measurement> {
  const databaseUrl = await store.createDatabase();
  const queue = await contender.prepare(databaseUrl);
  try {
    await queue.seed(jobs, text);
    await store.settle(databaseUrl, statistics);
    const measurement = await costOf(() => queue.drain(jobs), store, jobs);
    const remaining = await queue.remaining();
    if (remaining !== 0)
      throw new Error(`${contender.name} left ${remaining} of ${jobs} jobs undone`);
    return measurement;
  } finally {
    await queue.close();
    await store.dropDatabase(databaseUrl);
  }
}

/** What the store and this process spend on each job of the work. */
export async function costOf(
  work: () => Promise<void>,
  store: Store,
  jobs: number,
): Promise<Measurement> {
  const logBefore = await store.logBytes();
  const storeBefore = store.cpuMicros();
  const nodeBefore = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const node = process.cpuUsage(nodeBefore);
  const storeMicros = store.cpuMicros() - storeBefore;
  const logWritten = (await store.logBytes()) - logBefore;
  return {
    jobsPerSecond: jobs / seconds,
    storeCpuMicros: storeMicros / jobs,
    nodeCpuMicros: (node.user + node.system) / jobs,
    logBytes: logWritten / jobs,
  };
}
