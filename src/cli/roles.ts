// The parts of Outrider that run for long, put together from the configuration. They share a process with
// `outrider up`, or have one each with `outrider run`.

import type { Config } from '../config.ts';
import { listenForWakes } from '../db/listen.ts';
import type { Database } from '../db/open.ts';
import { openPool, type Queryable } from '../db/pool.ts';
import { coalescedWake } from '../db/wake.ts';
import { createDeliver } from '../dispatch/deliver.ts';
import {
  type Dispatcher,
  type DispatcherOptions,
  startDispatcher,
} from '../dispatch/dispatcher.ts';
import { startUpkeep } from '../dispatch/upkeep.ts';
import type { HeldPort } from '../http/held-port.ts';
import { startIngest } from '../ingest/ingest.ts';
import type { Log } from '../log.ts';
import { folderStore } from '../media/folder-store.ts';
import { createMediaFetcher } from '../media/media-fetcher.ts';
import { createSecrets } from '../secrets.ts';
import type { Service } from '../service.ts';
import { connections } from './connections.ts';
import { openProviders } from './providers.ts';

export const roles = ['ingest', 'dispatch'] as const;
export type Role = (typeof roles)[number];

export interface Ground {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  /** The port that the HTTP server is to have; it is let go of when the server starts. */
  readonly heldPort?: HeldPort | undefined;
  /** Told once posts are taken in and before any is sent. */
  readonly onRunning?: ((running: Running) => void) | undefined;
}

export interface Running {
  readonly services: readonly Service[];
  /** Where the HTTP server listens, if there is one. */
  readonly url: string | undefined;
  /** Takes nothing new, and ends when what was under way has ended or its grace is over. */
  stop(): Promise<void>;
}

/** What was opened and started so far. */
class Opened {
  readonly #resources: (() => Promise<unknown>)[] = [];
  readonly #running: (() => Promise<unknown>)[] = [];

  resource(close: () => Promise<unknown>): void {
    this.#resources.push(close);
  }

  running(stop: () => Promise<unknown>): void {
    this.#running.push(stop);
  }

  /** All that run stop at once, so that each has the whole grace; then what they used is closed, last first. */
  async close(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((stop) => stop()));
    for (const close of this.#resources.splice(0).toReversed()) await close();
  }
}

interface Parts extends Ground {
  readonly services: Service[];
  readonly opened: Opened;
}

// A query that gets no answer is given up soon: the work is asked for again on another connection. So is one that
// waits for a lock: whose transaction is left open keeps nobody else's connection.
const patience = {
  connectTimeoutMs: 5000,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 1000,
  silenceMs: 2000,
};

function openConnections(
  { database, opened }: Parts,
  purpose: keyof typeof connections,
): Queryable {
  const pool = openPool({
    url: database.serviceUrl,
    applicationName: `outrider ${purpose}`,
    max: connections[purpose],
    warms: true,
    ...patience,
  });
  opened.resource(() => pool.end());
  return pool;
}

/** Intake comes before dispatch: a process that cannot have its port sends nothing. */
export async function startRoles(wanted: readonly Role[], ground: Ground): Promise<Running> {
  const opened = new Opened();
  const services: Service[] = [];
  const parts: Parts = { ...ground, services, opened };
  try {
    const dispatch = wanted.includes('dispatch') ? await prepareDispatch(parts) : undefined;
    let dispatcher: Dispatcher | undefined;
    const own = (): Dispatcher | undefined => dispatcher;
    const url = wanted.includes('ingest') ? await startTakingIn(parts, own) : undefined;
    const running = { services, url, stop: () => opened.close() };
    ground.onRunning?.(running);
    dispatcher = dispatch?.();
    return running;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Opens all that a dispatcher needs and that may be wrong; what it answers with starts one. */
async function prepareDispatch(parts: Parts): Promise<() => Dispatcher> {
  const { config, opened } = parts;
  const client = openConnections(parts, 'claims');
  const reserve = openConnections(parts, 'outcomes');
  const providers = await openProviders(config);
  opened.resource(() => providers.close());
  const deliver = createDeliver({
    client: reserve,
    adapters: providers.adapters,
    secrets: createSecrets(config.secrets),
    store: folderStore(config.mediaDir),
  });
  return () => startDispatch(parts, { client, reserve, deliver });
}

function startDispatch(
  { config, database, log, opened, services }: Parts,
  means: Pick<DispatcherOptions, 'client' | 'reserve' | 'deliver'>,
): Dispatcher {
  const { concurrency, claimAhead, drainMs } = config;
  const dispatcher = startDispatcher({ ...means, log, concurrency, claimAhead, drainMs });
  opened.running(() => dispatcher.stop());
  const wake = (): void => void dispatcher.wake();
  const upkeep = startUpkeep({ client: means.client, log, onRecovered: wake });
  opened.running(() => upkeep.stop());
  const listener = listenForWakes({
    url: database.serviceUrl,
    applicationName: 'outrider listen',
    onWake: wake,
    onLost: (error) => log.warn('not told of new work; looking for it', { error: error.message }),
  });
  opened.running(() => listener.stop());
  services.push(dispatcher, upkeep);
  return dispatcher;
}

async function startTakingIn(parts: Parts, own: () => Dispatcher | undefined): Promise<string> {
  const { config, log, services, opened, heldPort } = parts;
  const client = openConnections(parts, 'intake');
  const store = folderStore(config.mediaDir);
  const fetcher = createMediaFetcher({ store, ...config.media });
  opened.resource(() => fetcher.close());
  const wakeOthers = coalescedWake(client, (error) => {
    log.warn('dispatchers could not be woken; they look by themselves', { error: String(error) });
  });
  await heldPort?.release();
  const ingest = await startIngest({
    client,
    store,
    fetcher,
    log,
    ...config.http,
    maxUploadBytes: config.media.maxBytes,
    patience: { stopMs: config.drainMs },
    secrets: createSecrets(config.secrets),
    claimer: (workspaceId) => own()?.claimer(workspaceId),
    wake(workspaceId) {
      if (own()?.wake(workspaceId) !== true) wakeOthers();
    },
    health: () => services.map((each) => ({ name: each.name, health: each.health() })),
  });
  opened.running(() => ingest.stop());
  services.push(ingest);
  return ingest.url;
}
