// A dispatcher on its own PostgreSQL server, which a test can crash, restart, cut off and silence.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../../sandbox/start.ts';
import { clusterIn } from '../../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../../src/db/embedded/pid-file.ts';
import { type Server, startServer } from '../../../src/db/embedded/server.ts';
import { ensureEventPartitions } from '../../../src/db/events.ts';
import { listenForWakes } from '../../../src/db/listen.ts';
import { migrate } from '../../../src/db/migrate/migrate.ts';
import { schemaDir } from '../../../src/db/open.ts';
import { openPool } from '../../../src/db/pool.ts';
import { createTransport } from '../../../src/http/transport.ts';
import { silentLog } from '../../../src/log.ts';
import { openOutrider } from '../../../src/outrider.ts';
import { type WatchedCall, WatchedClient } from '../database/watched-client.ts';
import { startTcpProxy, type TcpProxy } from '../http/tcp-proxy.ts';
import { runPrefix } from '../runner/run-folders.ts';
import {
  addSenders,
  sandboxAdapters,
  sandboxSecrets,
  urlsOf,
} from '../sandbox/sandbox-channels.ts';
import { liftLimits } from '../sandbox/sandbox-posts.ts';

export interface RestartableSystem {
  readonly sandbox: Sandbox;
  /** The address of the server without the proxies. */
  readonly adminUrl: string;
  /** The proxies of queries and of LISTEN. */
  readonly queries: TcpProxy;
  readonly wakes: TcpProxy;
  /** How many sends have ended, and how often a notification woke the dispatcher. */
  ended(): number;
  woken(): number;
  /** How many calls of our functions have failed. */
  failures(): number;
  /** Deliveries that were sent, but not yet recorded when a commit was cut off. */
  readonly cutOff: ReadonlySet<string>;
  /**
   * Ends the server: SIGQUIT crashes it, SIGINT breaks off what runs. A new server process then starts by itself.
   * Answers with the id of the process that ended.
   */
  killServer(signal: 'SIGQUIT' | 'SIGINT'): Promise<number>;
  close(): Promise<void>;
}

// Shorter than in production, where these take seconds.
const patience = { connectTimeoutMs: 1000, statementTimeoutMs: 2000, silenceMs: 500 };
const never = 3_600_000;

export async function startRestartableSystem(): Promise<RestartableSystem> {
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return { ...(await start(undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(undo: (() => unknown)[]): Promise<Omit<RestartableSystem, 'close'>> {
  const { server, adminUrl } = await startOwnServer(undo);
  const sandbox = await startSandbox();
  undo.push(() => sandbox.close());
  addSenders(sandbox);
  liftLimits(sandbox);

  const serviceUrl = new URL(adminUrl);
  serviceUrl.searchParams.set('options', '-c role=outrider_service');
  const queries = await startTcpProxy(serviceUrl.toString());
  undo.push(() => queries.close());
  const wakes = await startTcpProxy(serviceUrl.toString());
  undo.push(() => wakes.close());

  const unrecorded = new Set<string>();
  const cutOff = new Set<string>();
  const onCommit = ({ name, args, ended }: WatchedCall): void => {
    if (name !== 'commit_outcomes' && name !== 'commit_sent') return;
    if (ended === 'failed') for (const id of unrecorded) cutOff.add(id);
    else for (const id of idsIn(name, args)) unrecorded.delete(id);
  };
  const pool = openPool({ url: queries.url, applicationName: 'restarts', ...patience });
  undo.push(() => pool.end());
  const client = new WatchedClient(pool, onCommit);
  const transport = createTransport();
  undo.push(() => transport.close());

  let sent = 0;
  let woken = 0;
  const outrider = await openOutrider(
    {
      concurrency: 100,
      claimAhead: 0,
      drainMs: 5000,
      mediaDir: '/nonexistent',
      secrets: sandboxSecrets,
    },
    {
      database: { serviceUrl: queries.url },
      pools: { claims: client, outcomes: client },
      adapters: sandboxAdapters(transport, urlsOf(sandbox)),
      around: (deliver) => async (workspaceId, delivery, lease) => {
        const outcome = await deliver(workspaceId, delivery, lease);
        unrecorded.add(delivery.deliveryId);
        sent += 1;
        return outcome;
      },
      listen: (options) =>
        listenForWakes({
          ...options,
          url: wakes.url,
          onWake() {
            woken += 1;
            options.onWake();
          },
          heartbeatMs: 200,
          silenceMs: 1000,
          reconnectMs: 100,
        }),
      intervals: { pollMs: never, recoverEveryMs: 100 },
      log: silentLog,
    },
  );
  undo.push(() => outrider.stop());
  await outrider.start(['dispatch', 'upkeep']);

  return {
    sandbox,
    adminUrl,
    queries,
    wakes,
    ended: () => sent,
    woken: () => woken,
    failures: () => client.calls.filter((call) => call.ended === 'failed').length,
    cutOff,
    async killServer(signal) {
      const file = await readPidFile(clusterIn(server.home));
      if (file === undefined) throw new Error('the server does not run');
      process.kill(file.pid, signal);
      return file.pid;
    },
  };
}

async function startOwnServer(
  undo: (() => unknown)[],
): Promise<{ server: Server; adminUrl: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755); // PostgreSQL's own user passes through
  const server = await startServer({
    dataDir: path.join(folder, 'postgres'),
    // Only the server crashes, not the machine: what was written is still there.
    settings: { fsync: 'off' },
    initdbFlags: ['--no-sync'],
  });
  undo.push(() => server.stop());
  const adminUrl = server.url();
  await migrate(adminUrl, { dir: schemaDir });
  const pool = openPool({ url: adminUrl, applicationName: 'restarts', max: 1 });
  await ensureEventPartitions(pool, 2);
  await pool.end();
  return { server, adminUrl };
}

const Outcomes = z.array(z.object({ delivery_id: z.string() }));

/** The deliveries of a commit. */
function idsIn(name: 'commit_outcomes' | 'commit_sent', args: readonly unknown[]): string[] {
  if (name === 'commit_sent') return z.array(z.string()).parse(args[1]);
  return Outcomes.parse(JSON.parse(String(args[1]))).map((each) => each.delivery_id);
}
