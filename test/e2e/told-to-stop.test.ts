import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { startTcpProxy } from '../support/http/tcp-proxy.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';
import {
  addSandboxChannels,
  sandboxSecrets,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';

// `outrider run dispatch`, as a service manager starts and stops it.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
let workspaceId: string;
const undo = useUndo(() => sandbox.faults.clear());

beforeEach(() => {
  workspaceId = database.newWorkspaceId();
});

const program = fileURLToPath(new URL('../../src/cli/outrider.ts', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly said: string[];
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

async function run(databaseUrl: string): Promise<Run> {
  const { telegram, max, vk } = urlsOf(sandbox);
  const child = spawn(process.execPath, [program, 'run', 'dispatch', '--json'], {
    cwd: folder,
    env: {
      ...sandboxSecrets,
      ...compiledSources,
      DATABASE_URL: databaseUrl,
      OUTRIDER_DATA_DIR: folder,
      OUTRIDER_DRAIN_SECONDS: '1',
      TELEGRAM_API_URL: telegram,
      MAX_API_URL: max,
      VK_API_URL: vk,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  undo.push(() => child.kill('SIGKILL'));
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  // Not at its exit: what it said last may still be on the way then.
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await vi.waitFor(() => expect(said.join()).toContain('"dispatching"'), 60_000);
  return { child, said, ended };
}

async function postToThreeChannels(text: string) {
  const counts = { telegram: 1, max: 1, vk: 1 };
  const channels = await addSandboxChannels(database.admin, sandbox, { workspaceId, counts });
  await post(database.service, workspaceId, text);
  return channels;
}

describe('a dispatching process that gets SIGTERM', () => {
  it('exits with 0 when it has sent everything', async () => {
    await postToThreeChannels('sent');
    const { child, ended } = await run(database.url);
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 3 }),
      60_000,
    );
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('exits with 0 after its grace, with the outcome of endless sends committed', async () => {
    sandbox.faults.add({ kind: 'half_open', stored: true });
    const channels = await postToThreeChannels('endless');
    const { child, ended, said } = await run(database.url);
    await vi.waitFor(
      () =>
        expect(channels.map((each) => textsOf(sandbox, each))).toEqual(
          channels.map(() => ['endless']),
        ),
      60_000,
    );
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(said.at(-1)).toContain('"retry":3');
    const rows = await queryRows(
      database.admin,
      z.object({ status: z.string(), outcome_unknown: z.boolean() }),
      'select status::text, outcome_unknown from outrider.deliveries where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual(channels.map(() => ({ status: 'retry', outcome_unknown: true })));
  });

  it('exits with 0 although its connections to the database have gone silent', async () => {
    const proxy = await startTcpProxy(database.url);
    undo.push(() => proxy.close());
    await postToThreeChannels('sent');
    const { child, ended } = await run(proxy.url);
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 3 }),
      60_000,
    );
    await proxy.greet('left');
    proxy.freeze();
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
