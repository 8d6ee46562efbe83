// addJob, and the statement with which a worker takes one job. The library exports no function for the latter, so a
// worker runs once, and we execute again what it has prepared on its connection.

import pg from 'pg';
import { backendPid } from '../backend-pid.ts';
import { cpuNanosOfThread } from '../process-cpu.ts';
import type { PlainTaker } from './taker.ts';

const task = 'deliver';

interface Statement {
  readonly name: string;
  readonly text: string;
}

export const graphileWorker: PlainTaker = {
  name: 'graphile-worker',
  settings: { push: 'addJob', claim: 'get_job, as a worker without a local queue prepares it' },
  async prepare(databaseUrl) {
    const { Logger, makeWorkerUtils, runTaskListOnce } = await import('graphile-worker');
    const logger = new Logger(() => () => undefined);
    const [pushes, claims, completions] = Array.from({ length: 3 }, () => openPool(databaseUrl));
    if (!pushes || !claims || !completions) throw new Error('a connection is missing');
    const utils = await makeWorkerUtils({ pgPool: pushes, logger });
    await utils.migrate();
    const pushPid = await pidOf(pushes);
    const claimer = await claims.connect();
    const claimPid = await backendPid(claimer);
    await utils.addJob(task, { id: 0, title: '', text: '', url: '' });
    await runTaskListOnce({ logger }, { [task]: () => undefined }, claimer).promise;
    const getJob = await preparedGetJob(claimer);
    const taskIds = await idsOfTasks(claimer);
    let claimed: string[] = [];
    return {
      async takeAndClaim(post) {
        await utils.addJob(task, post);
        const values = ['bench', taskIds];
        const { rows } = await claimer.query<{ id: string }>({ ...getJob, values });
        claimed = rows.map(({ id }) => id);
        if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} jobs`);
      },
      async finish() {
        await completions.query('select graphile_worker.complete_jobs($1)', [claimed]);
      },
      cpu: () => ({
        pushNanos: cpuNanosOfThread(pushPid),
        claimNanos: cpuNanosOfThread(claimPid),
      }),
      async close() {
        claimer.release();
        await utils.release();
        await Promise.all([pushes.end(), claims.end(), completions.end()]);
      },
    };
  },
};

async function preparedGetJob(client: pg.ClientBase): Promise<Statement> {
  const { rows } = await client.query<Statement>(
    "select name, statement as text from pg_prepared_statements where name like 'get\\_job%'",
  );
  const [statement] = rows;
  if (statement === undefined) throw new Error('the worker has prepared no statement for a job');
  return statement;
}

async function idsOfTasks(client: pg.ClientBase): Promise<number[]> {
  const sql = 'select id from graphile_worker._private_tasks';
  const { rows } = await client.query<{ id: number }>(sql);
  return rows.map(({ id }) => id);
}

/** A pool of one connection, which stays open. */
function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined); // the library asks for both listeners
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

async function pidOf(pool: pg.Pool): Promise<number> {
  const client = await pool.connect();
  try {
    return await backendPid(client);
  } finally {
    client.release();
  }
}
