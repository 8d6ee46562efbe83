// Chaos: posts come in while everything is struck down again and again. PostgreSQL, dispatchers and ingest are
// killed without warning, dispatchers are frozen for longer than their lease, and the platforms lose every
// twentieth answer. Then it counts what each chat shows.
//
//   npm run chaos -- [--minutes 5]
//
// Ends with 0 when nothing was lost and neither MAX nor VK shows a post twice.

import { createHash } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../src/db/embedded/pid-file.ts';
import { type Server, startServer } from '../../src/db/embedded/server.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { schemaDir } from '../../src/db/open.ts';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { freePort } from '../support/http/free-port.ts';
import { chanceFaults } from '../support/sandbox/chance-faults.ts';
import {
  addSandboxChannels,
  addSenders,
  type SandboxChannel,
  sandboxSecrets,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { liftLimits } from '../support/sandbox/sandbox-posts.ts';
import type { Platform } from '../support/sandbox/three-platforms.ts';
import { startWatchedSandbox } from '../support/sandbox/watched-sandbox.ts';
import { startPoster } from './poster.ts';
import { openProcesses } from './processes.ts';
import { type Reckoning, reckon, underWay } from './reckoning.ts';
import { type Strikes, storm } from './storm.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });
const stormMs = Number(values.minutes) * 60_000;

const leaseSeconds = 10;
const settings = {
  sending_lease: `${leaseSeconds} seconds`,
  recovery_backoff: '1 second',
  // A killed sender's attempt counts: with a death every five seconds five of them are soon used up.
  max_attempts: 50,
  backoff_cap: '5 seconds',
};
const counts = { telegram: 5, max: 5, vk: 5 };
const columns = { rate_rps: 20, max_parallel: 4 };

const processes = await openProcesses();
await chmod(processes.folder, 0o755); // PostgreSQL's own user passes through
const server = await startServer({ dataDir: path.join(processes.folder, 'postgres') });
await migrate(server.url(), { dir: schemaDir });
const admin = openPool({ url: server.url(), applicationName: 'chaos', max: 2 });
const faults = chanceFaults(0.05, Date.now() % 1_000_000);
const sandbox = await startWatchedSandbox(faults);
addSenders(sandbox);
liftLimits(sandbox);

const workspaces = new Map<string, { channels: SandboxChannel[]; accepted: readonly string[] }>();
const port = await freePort();
const environment = environmentFor(server, port);
const ingest = processes.keep('ingest', ['run', 'ingest'], environment);
const dispatchers = [1, 2, 3].map((n) =>
  processes.keep(`dispatch-${n}`, ['run', 'dispatch'], environment),
);
const posters = [];
for (const workspaceId of ['city', 'shop']) {
  const channels = await addSandboxChannels(admin, sandbox, {
    workspaceId,
    counts,
    settings,
    columns,
  });
  await addEndpoint(admin, workspaceId);
  const url = `http://127.0.0.1:${port}`;
  const poster = startPoster({ url, workspaceId, secret: `${workspaceId}-secret`, everyMs: 250 });
  posters.push(poster);
  workspaces.set(workspaceId, { channels, accepted: poster.accepted });
}

const frozenMs = (leaseSeconds + 3) * 1000;
const strikes = await storm({ ingest, dispatchers, killServer }, stormMs, frozenMs);
await Promise.all(posters.map((poster) => poster.stop()));
faults.stop();
await overOrStuck();
const result = await reckon(admin, sandbox, workspaces);
report(strikes, result);
await processes.close().catch(() => undefined);
await sandbox.close();
await admin.end();
await server.stop();
process.exitCode = isSound(result) ? 0 : 1;

async function killServer(): Promise<void> {
  const file = await readPidFile(clusterIn(server.home));
  if (file !== undefined) process.kill(file.pid, 'SIGKILL');
}

/** Waits until every delivery is over, or nothing has ended for a minute. */
async function overOrStuck(): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  for (let idle = 0; idle < 60; idle += 1) {
    const now = await underWay(admin).catch(() => left);
    if (now === 0) return;
    if (now < left) idle = 0;
    left = now;
    await delay(1000);
  }
  console.log(`${left} deliveries are not over`);
}

function environmentFor(database: Server, httpPort: number): Record<string, string> {
  const { telegram, max, vk } = urlsOf(sandbox);
  return {
    DATABASE_URL: database.url(),
    OUTRIDER_DATA_DIR: processes.folder,
    OUTRIDER_PORT: String(httpPort),
    TELEGRAM_API_URL: telegram,
    MAX_API_URL: max,
    VK_API_URL: vk,
    ...sandboxSecrets,
  };
}

async function addEndpoint(client: Queryable, workspaceId: string): Promise<void> {
  const secretHash = createHash('sha256').update(`${workspaceId}-secret`).digest('hex');
  await client.query(
    `insert into outrider.workspace_endpoints
       (workspace_id, endpoint_id, kind, secret_hash, ingress_rps, created_at, updated_at)
     values ($1, 'push', 'webhook_push', $2, 1000, now(), now())`,
    [workspaceId, secretHash],
  );
}

function report(struck: Strikes, { platforms, missing, astray }: Reckoning): void {
  const accepted = [...workspaces.values()].reduce((sum, each) => sum + each.accepted.length, 0);
  console.log(
    `${values.minutes} minutes: PostgreSQL killed ${struck.server} times, dispatchers ${struck.dispatchers}, ingest ${struck.ingest}; dispatchers frozen ${struck.frozen} times for ${frozenMs / 1000} s (lease ${leaseSeconds} s)`,
  );
  console.log(
    `${accepted} posts accepted, ${missing.length} of them not there; ${astray} in a wrong chat`,
  );
  console.table(platforms);
}

function isSound({ platforms, missing, astray }: Reckoning): boolean {
  const all = Object.values(platforms);
  const repeated: readonly Platform[] = ['max', 'vk'];
  return (
    missing.length === 0 &&
    astray === 0 &&
    all.every((each) => each.never === 0) &&
    repeated.every((platform) => platforms[platform].twice === 0)
  );
}
