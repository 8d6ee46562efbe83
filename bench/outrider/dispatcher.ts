// A dispatcher without adapters: every send succeeds at once. Claims run on one connection, commits on
// another.

import type pg from 'pg';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitSent } from '../../src/db/commit.ts';
import { nextDueAt, nextWorkspaces } from '../../src/db/dispatch.ts';
import { openClient } from '../../src/db/pool.ts';
import { backendPid } from '../backend-pid.ts';
import { cpuNanosOfThread } from '../process-cpu.ts';

export interface Dispatcher {
  /** Claims and commits until a workspace has nothing due. Returns how many were sent. */
  drain(workspaceId: string, batchSize: number): Promise<number>;
  /** Claims one batch, then commits it. Returns how many were sent. */
  step(workspaceId: string, batchSize: number): Promise<number>;
  /** One round: asks which workspaces have work, sends a batch of each, and asks when the next delivery is due. */
  round(workspaces: number, batchSize: number): Promise<number>;
  /** CPU so far of the two backends that serve it. */
  cpu(): { claimMicros: number; commitMicros: number };
  close(): Promise<void>;
}

export async function openDispatcher(databaseUrl: string): Promise<Dispatcher> {
  const url = await serviceLogin(databaseUrl);
  const [claims, commits] = await Promise.all([open(url), open(url)]);
  const [claimsPid, commitsPid] = await Promise.all([backendPid(claims), backendPid(commits)]);
  return {
    drain: (workspaceId, batchSize) => drain(claims, commits, workspaceId, batchSize),
    step: (workspaceId, batchSize) => step(claims, commits, workspaceId, batchSize),
    round: (workspaces, batchSize) => round(claims, commits, workspaces, batchSize),
    cpu: () => ({
      claimMicros: cpuNanosOfThread(claimsPid) / 1000,
      commitMicros: cpuNanosOfThread(commitsPid) / 1000,
    }),
    async close() {
      await Promise.all([claims.end(), commits.end()]);
    },
  };
}

// Calls under way on each connection: when the server has answered one, the next one is already there.
const pipelined = 2;

/** Claims the next batches while earlier ones are read and committed. */
async function drain(
  claims: pg.Client,
  commits: pg.Client,
  workspaceId: string,
  limit: number,
): Promise<number> {
  let sent = 0;
  const committing: Promise<unknown>[] = [];
  const claiming = Array.from({ length: pipelined }, () => claim(claims, workspaceId, limit));
  for (let next = claiming.shift(); next !== undefined; next = claiming.shift()) {
    const claimed = await next;
    if (claimed.length === 0) continue;
    claiming.push(claim(claims, workspaceId, limit));
    if (committing.length === pipelined) await committing.shift();
    committing.push(commit(commits, workspaceId, claimed));
    sent += claimed.length;
  }
  await Promise.all(committing);
  return sent;
}

async function step(
  claims: pg.Client,
  commits: pg.Client,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const claimed = await claim(claims, workspaceId, limit);
  if (claimed.length > 0) await commit(commits, workspaceId, claimed);
  return claimed.length;
}

async function round(
  claims: pg.Client,
  commits: pg.Client,
  workspaces: number,
  limit: number,
): Promise<number> {
  let sent = 0;
  for (const workspaceId of await nextWorkspaces(claims, 'bench', workspaces)) {
    sent += await step(claims, commits, workspaceId, limit);
  }
  await nextDueAt(claims);
  return sent;
}

function claim(client: pg.Client, workspaceId: string, limit: number): Promise<ClaimedDelivery[]> {
  return claimDeliveries(client, { workspaceId, runId: 'bench', limit });
}

/** Commits all deliveries as sent. */
export function commit(
  client: pg.Client,
  workspaceId: string,
  claimed: readonly ClaimedDelivery[],
): Promise<unknown> {
  const deliveryIds = claimed.map((each) => each.deliveryId);
  const claimTokens = claimed.map((each) => each.claimToken);
  const sent = { deliveryIds, claimTokens, providerMessageIds: deliveryIds };
  return commitSent(client, workspaceId, sent);
}

function open(url: string): Promise<pg.Client> {
  return openClient({ url, applicationName: 'bench dispatcher' });
}

/** Outrider's processes are not superusers. The dispatcher logs in as they do. */
export async function serviceLogin(databaseUrl: string): Promise<string> {
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
