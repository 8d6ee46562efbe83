import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ServerProcess {
  readonly pid: number;
  /** Asks with `signal`, waits for the end, removes the folder. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root; everyone else runs it as themselves. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const uid = spawnSync('id', ['-u', name], { encoding: 'utf8' });
    const gid = spawnSync('id', ['-g', name], { encoding: 'utf8' });
    if (uid.status === 0 && gid.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error('running as root, and neither the account postgres nor nobody exists');
}

export function temporaryFolder(prefix: string, account?: Account): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  return folder;
}

export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer().once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    probe.close(() => resolve(port));
  });
  return promise;
}

/** Starts a server in `folder` and returns once `ready` answers. */
export async function startServerProcess(
  command: string,
  args: readonly string[],
  options: { folder: string; account?: Account | undefined; ready: () => Promise<void> },
): Promise<ServerProcess> {
  const child = spawn(command, args, { cwd: options.folder, stdio: ['ignore', 'ignore', 'pipe'], ...options.account });
  let lastWords = '';
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-2000);
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
    rmSync(options.folder, { recursive: true, force: true });
  };
  try {
    await untilReady(child, options.ready);
  } catch (error) {
    await end('SIGKILL');
    throw new Error(`${command} did not start: ${lastWords}`, { cause: error });
  }
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} has no process id`);
  return { pid, stop: end };
}

async function untilReady(child: ChildProcess, ready: () => Promise<void>): Promise<void> {
  const failedToSpawn = new Promise<never>((_, reject) => void child.once('error', reject));
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await Promise.race([ready(), failedToSpawn]);
      return;
    } catch (error) {
      if (child.exitCode !== null || child.pid === undefined || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
