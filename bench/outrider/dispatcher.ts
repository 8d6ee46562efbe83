// A dispatcher without adapters: every send succeeds at once. Claims run on one connection, commits on
// another; the next batch is claimed while the last one is being committed.

import type pg from 'pg';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../src/db/commit.ts';
import { openClient } from '../../src/db/pool.ts';

export interface Dispatcher {
  /** Backend processes of PostgreSQL, for their CPU. */
  readonly claimsPid: number;
  readonly commitsPid: number;
  /** Claims and commits until a workspace has nothing due; answers with how many were sent. */
  drain(workspaceId: string, batchSize: number): Promise<number>;
  readonly claims: pg.Client;
  close(): Promise<void>;
}

export async function openDispatcher(databaseUrl: string): Promise<Dispatcher> {
  const url = await serviceLogin(databaseUrl);
  const [claims, commits] = await Promise.all([open(url), open(url)]);
  return {
    claimsPid: await backendPid(claims),
    commitsPid: await backendPid(commits),
    drain: (workspaceId, batchSize) => drain(claims, commits, workspaceId, batchSize),
    claims,
    async close() {
      await Promise.all([claims.end(), commits.end()]);
    },
  };
}

async function drain(
  claims: pg.Client,
  commits: pg.Client,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const claim = (): Promise<ClaimedDelivery[]> =>
    claimDeliveries(claims, { workspaceId, runId: 'bench', limit });
  let sent = 0;
  let committed: Promise<unknown> = Promise.resolve();
  let next = claim();
  for (;;) {
    const claimed = await next;
    if (claimed.length === 0) break;
    next = claim();
    await committed;
    committed = commitOutcomes(commits, workspaceId, claimed.map(asSent));
    sent += claimed.length;
  }
  await committed;
  return sent;
}

function asSent({ deliveryId, claimToken }: ClaimedDelivery): Outcome {
  return { ok: true, deliveryId, claimToken, providerMessageId: deliveryId };
}

function open(url: string): Promise<pg.Client> {
  return openClient({ url, applicationName: 'bench dispatcher' });
}

async function backendPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** Outrider's processes are no superusers: the dispatcher logs in as they do. */
async function serviceLogin(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const admin = await open(databaseUrl);
  try {
    const { rows } = await admin.query("select from pg_roles where rolname = 'bench_service'");
    if (rows.length === 0) {
      await admin.query(
        `create role bench_service login password '${url.password}' in role outrider_service`,
      );
    }
  } finally {
    await admin.end();
  }
  url.username = 'bench_service';
  return url.toString();
}
