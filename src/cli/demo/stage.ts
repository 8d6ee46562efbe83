// The stage of the demo: an embedded PostgreSQL, a sandbox in this process, and a worker in a process of its own, so
// that it can be killed.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Platform } from '../../../sandbox/platforms.ts';
import type { PostView } from '../../../sandbox/simulator.ts';
import type { Sandbox } from '../../../sandbox/start.ts';
import type { Config } from '../../config.ts';
import { applyWorkspace } from '../../db/apply.ts';
import {
  type ListedDelivery,
  listDeliveries,
  type ShownDelivery,
  showDelivery,
} from '../../db/inspect.ts';
import { openDatabase } from '../../db/open.ts';
import { openPool, type Queryable } from '../../db/pool.ts';
import { presetDocument } from '../apply/preset.ts';
import { startDemoSandbox } from '../sandbox/demo.ts';
import { demoSecret, placeOf, pointedAt } from '../sandbox/place.ts';
import { startWorker, type Worker } from './worker.ts';

export const workspaceId = 'demo';

/** Leases and pauses of seconds instead of minutes, so that a person can watch. */
const hurried = {
  sending_lease: '3 seconds',
  recovery_backoff: '1 second',
  backoff_base: '1 second',
  pause_on_permanent_for: '1 second',
  // No alert for a pause of a second: it would take the one message a minute that an alert target gets.
  alert_paused_channels_over: 100,
};

const Accepted = z.object({
  message_id: z.string(),
  channels: z.array(
    z.object({ channel_id: z.string(), verdict: z.string(), rule: z.string().optional() }),
  ),
});
export type Accepted = z.output<typeof Accepted>;

export interface Stage {
  readonly sandbox: Sandbox;
  /** With the addresses and tokens of the sandbox. */
  readonly config: Config;
  readonly client: Queryable;
  worker: Worker;
  startWorker(): Promise<void>;
  /** Posts over HTTP, as any application would. */
  post(post: Readonly<Record<string, unknown>>): Promise<Accepted>;
  /** Changes the workspace as `outrider apply` does. */
  apply(document: Readonly<Record<string, unknown>>): Promise<void>;
  /** Makes the workspace of a preset, as `outrider apply` does with these variables. */
  applyPreset(name: string, variables: Readonly<Record<string, string>>): Promise<void>;
  deliveries(messageId: string): Promise<ListedDelivery[]>;
  show(deliveryId: string): Promise<ShownDelivery>;
  /** Waits until the condition holds. After a minute it throws, and the error says what did not happen. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  /** What a reader of a chat sees. */
  posts(platform: Platform, chat: string): readonly PostView[];
  close(): Promise<void>;
}

export async function openStage(given: Config, signal: AbortSignal): Promise<Stage> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-demo-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755); // PostgreSQL's own user has to pass through
    const sandbox = await startDemoSandbox();
    undo.push(() => sandbox.close());
    // A database of its own, whatever DATABASE_URL says: the demo leaves nothing behind.
    const own = {
      databaseUrl: undefined,
      dataDir: folder,
      postgresDir: path.join(folder, 'postgres'),
    };
    const config = pointedAt(placeOf(sandbox), { ...given, ...own });
    const database = await openDatabase(config, { signal });
    undo.push(() => database.close());
    const client = openPool({ url: database.serviceUrl, applicationName: 'outrider demo' });
    undo.push(() => client.end());
    await applyDocument(client, { ...(await presetDocument('demo')), settings: hurried });

    const start = (): Promise<Worker> => startWorker(config, database.url, signal);
    const stage: Stage = {
      ...acts(client, sandbox),
      sandbox,
      config,
      client,
      worker: await start(),
      async startWorker() {
        stage.worker = await start();
      },
      post: (post) => send(stage.worker.url, post),
      close,
    };
    undo.push(() => stage.worker.stop());
    signal.throwIfAborted();
    return stage;
  } catch (error) {
    await close();
    // A Ctrl-C reaches the worker, too. Then it is no fault that the worker did not start.
    signal.throwIfAborted();
    throw error;
  }
}

function acts(
  client: Queryable,
  sandbox: Sandbox,
): Pick<Stage, 'apply' | 'applyPreset' | 'deliveries' | 'show' | 'until' | 'posts'> {
  return {
    apply: (document) => applyDocument(client, { workspace: workspaceId, ...document }),
    applyPreset: async (name, variables) =>
      applyDocument(client, await presetDocument(name, variables)),
    deliveries: (messageId) => listDeliveries(client, { workspaceId, messageId, limit: 100 }),
    show: (deliveryId) => showDelivery(client, workspaceId, deliveryId),
    async until(what, holds) {
      for (const deadline = Date.now() + 60_000; !(await holds()); await delay(50)) {
        if (Date.now() > deadline) throw new Error(`did not happen within a minute: ${what}`);
      }
    },
    posts(platform, chat) {
      const chats = sandbox[platform].simulator.chats();
      return chats.find((each) => each.chat === chat)?.posts ?? [];
    },
  };
}

async function applyDocument(
  client: Queryable,
  document: Readonly<Record<string, unknown>>,
): Promise<void> {
  await applyWorkspace(client, { document, prune: false, dryRun: false });
}

async function send(url: string, post: Readonly<Record<string, unknown>>): Promise<Accepted> {
  const answer = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demoSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify(post),
  });
  const body: unknown = await answer.json();
  if (answer.status !== 202) throw new Error(`the post was answered with ${answer.status}`);
  return Accepted.parse(body);
}

const finalStatuses = new Set(['sent', 'failed_permanent', 'dead', 'deduped']);

/** Waits until every delivery of a message has ended. */
export async function allDone(stage: Stage, messageId: string): Promise<void> {
  await stage.until('every delivery has ended', async () => {
    const deliveries = await stage.deliveries(messageId);
    return deliveries.length > 0 && deliveries.every((each) => finalStatuses.has(each.status));
  });
}
