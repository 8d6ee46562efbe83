// The takers: each takes posts in on one connection, one call after the other.

import pg from 'pg';
import { enqueueBatch, enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { openClient } from '../../src/db/pool.ts';
import { channelCount, installOutrider, workspace } from '../outrider/workload.ts';
import { post } from '../post.ts';

export interface Taker {
  readonly name: string;
  /** How many rows one call makes: deliveries, or jobs. */
  readonly rowsPerCall: number;
  prepare(databaseUrl: string): Promise<PreparedTaker>;
}

export interface PreparedTaker {
  /** Makes one call; every call has posts of its own. */
  call(number: number): Promise<void>;
  close(): Promise<void>;
}

/** A post that no other call has. */
function rawPost(number: number): unknown {
  const { title, text, url } = post(number);
  return { title, text, url };
}

export const onePost: Taker = {
  name: 'outrider, one post to 40 channels',
  rowsPerCall: channelCount,
  async prepare(databaseUrl) {
    const admin = await installOutrider(databaseUrl);
    await admin.end();
    return openTaker(databaseUrl);
  },
};

/** A connection to a database that has the workspace. */
export async function openTaker(databaseUrl: string): Promise<PreparedTaker> {
  const client = await open(databaseUrl);
  return {
    async call(number) {
      const rawPayload = rawPost(number);
      const request = {
        workspaceId: workspace,
        endpointId: null,
        kind: 'push',
        rawPayload,
      } as const;
      await enqueueMessagesAndDeliveries(client, request);
    },
    close: () => client.end(),
  };
}

const postsPerBatch = 100;

export const manyPosts: Taker = {
  name: `outrider, ${postsPerBatch} posts to 40 channels`,
  rowsPerCall: channelCount * postsPerBatch,
  async prepare(databaseUrl) {
    const admin = await installOutrider(databaseUrl);
    await admin.end();
    const client = await open(databaseUrl);
    return {
      async call(number) {
        const items = Array.from({ length: postsPerBatch }, (_, n) =>
          rawPost(number * postsPerBatch + n),
        );
        await enqueueBatch(client, { workspaceId: workspace, kind: 'push', items });
      },
      close: () => client.end(),
    };
  },
};

export const fortyJobs = graphileWorker(channelCount);
export const manyJobs = graphileWorker(channelCount * postsPerBatch);

function graphileWorker(jobs: number): Taker {
  return {
    name: `graphile-worker, add_jobs of ${jobs}`,
    rowsPerCall: jobs,
    async prepare(databaseUrl) {
      const { Logger, makeWorkerUtils } = await import('graphile-worker');
      const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
      pool.on('error', () => undefined); // the library asks for both listeners
      pool.on('connect', (client) => client.on('error', () => undefined));
      const utils = await makeWorkerUtils({
        pgPool: pool,
        logger: new Logger(() => () => undefined),
      });
      await utils.migrate();
      return {
        async call(number) {
          const payload = rawPost(number);
          await utils.addJobs(
            Array.from({ length: jobs }, (_, channel) => ({
              identifier: 'deliver',
              payload: { channel, post: payload },
            })),
          );
        },
        async close() {
          await utils.release();
          await pool.end();
        },
      };
    },
  };
}

function open(databaseUrl: string): Promise<pg.Client> {
  return openClient({ url: databaseUrl, applicationName: 'bench', statementTimeoutMs: 0 });
}
