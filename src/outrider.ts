// Outrider in a process: opens what the roles need, starts them, and stops them in their order.
//
//   open → start() → running → stop() → stopped
//   open → start() → a role cannot start → open: nothing runs, and it may be started again
//   open or running → stop() → stopped, for good

import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from './config.ts';
import { databaseTime } from './db/health.ts';
import {
  type ChannelFilter,
  type DeliveryFilter,
  type ListedChannel,
  type ListedDelivery,
  listChannels,
  listDeliveries,
  listWorkspaces,
  type ShownDelivery,
  type ShownWorkspace,
  showDelivery,
  showWorkspace,
  type Workspace,
} from './db/inspect.ts';
import { type Database, openDatabase, type WorkingRole } from './db/open.ts';
import type { Queryable } from './db/pool.ts';
import { InvalidInputError } from './errors.ts';
import { configOf, type GivenConfig } from './given-config.ts';
import { type HealthOptions, healthArea, type Readiness, readinessOf } from './http/health.ts';
import { type HttpServer, startServer } from './http/server.ts';
import {
  type Accepted,
  enqueuePost,
  type NewPost,
  withCopiedMedia,
} from './ingest/enqueue-post.ts';
import { createLog, type Log } from './log.ts';
import type { Heartbeat } from './monitor/heartbeat.ts';
import { keptPost } from './observer.ts';
import { type Ground, type Intervals, type Means, openGround, type Pools } from './roles/ground.ts';
import type { Role } from './roles/role.ts';
import { type RoleName, roleNames, rolesNamed, serving } from './roles/roles.ts';
import { giveSignsOfLife } from './roles/signs-of-life.ts';
import { type StartedRoles, startRoles } from './roles/start-roles.ts';
import { openStatus } from './roles/status.ts';
import { wakeOver } from './roles/waking.ts';

export type { Accepted, Intervals, NewPost, Pools, Readiness, RoleName };

/** What a program may give instead of what the configuration says. The program also closes it. */
export interface OutriderMeans extends Means {
  /** The log of the services; standard output, as JSON, when missing. */
  readonly log?: Log | undefined;
  /** A database that is open already. */
  readonly database?: Pick<Database, 'serviceUrl'> | undefined;
  /** The role that it works as in the database; `outrider_publisher` is enough to publish events. */
  readonly worksAs?: WorkingRole | undefined;
  /** Answers /healthz and /readyz, and has the status page, also when no role has an HTTP server. */
  readonly answersHealth?: boolean | undefined;
  /** Called with the address of the HTTP server, if there is one, before anything is sent. */
  readonly onListening?: ((url: string | undefined) => void) | undefined;
}

export interface Outrider {
  /** Connections as Outrider's own processes have them, for the functions of this package. */
  readonly client: Queryable;
  readonly inspect: Inspect;
  /** Where the HTTP server listens, while there is one. */
  readonly url: string | undefined;
  /** Takes one post in and wakes the dispatchers. The signal ends the wait for the servers of its media. */
  enqueue(workspaceId: string, post: NewPost, signal?: AbortSignal): Promise<Accepted>;
  /** What `/readyz` answers. */
  health(): Promise<Readiness>;
  /** Starts roles, once, and resolves when they run. When one cannot start, none runs. */
  start(roles: readonly RoleName[]): Promise<void>;
  /** Takes nothing new, ends what is under way within its grace, stage by stage, and closes what was opened. */
  stop(): Promise<void>;
}

/** Reads what there is, what waits and what became of it. */
export interface Inspect {
  workspaces(): Promise<Workspace[]>;
  workspace(workspaceId: string): Promise<ShownWorkspace>;
  channels(filter: ChannelFilter): Promise<ListedChannel[]>;
  deliveries(filter: DeliveryFilter): Promise<ListedDelivery[]>;
  delivery(workspaceId: string, deliveryId: string): Promise<ShownDelivery>;
}

/** What is not given comes from the environment, as for the command line. */
export async function openOutrider(
  given: GivenConfig = {},
  means: OutriderMeans = {},
): Promise<Outrider> {
  const config = configOf(given);
  const log = means.log ?? standardLog(config);
  const { database, closeDatabase } = await databaseOf(config, means);
  const ground = openGround({ config, database, log, means });
  const { pools } = ground;
  const client = means.worksAs === 'outrider_publisher' ? pools.publish() : pools.intake();
  const wake = wakeOver(client, ground);

  let starting: Promise<StartedRoles> | undefined;
  let stopping: Promise<void> | undefined;
  let healthServer: HttpServer | undefined;
  let heartbeat: Heartbeat | undefined;
  const enqueuing = new Set<Promise<unknown>>();
  /** Connections that the roles have open anyway. */
  let ownClient: Queryable = client;
  const asked: HealthOptions = {
    askDatabase: () => databaseTime(ownClient),
    health: () => ground.health(),
  };

  async function startAll(wanted: readonly Role[]): Promise<StartedRoles> {
    if (means.worksAs !== 'outrider_publisher' && !wanted.some((each) => each.stage === 'intake')) {
      ownClient = pools.claims();
    }
    const answersItself = wanted.some((each) => serving.has(each.name));
    if (means.answersHealth === true && !answersItself) {
      // A login that only publishes may read neither metrics nor the status.
      const isPublisher = means.worksAs === 'outrider_publisher';
      const status = isPublisher ? [] : [await openStatus(ground)];
      await means.heldPort?.release();
      const { observing } = ground;
      const shown = observing.areas(isPublisher ? undefined : () => ownClient);
      healthServer = await startServer({
        ...config.http,
        log,
        observer: observing.observer,
        areas: [healthArea(asked), ...shown, ...status],
      });
    }
    return startRoles(wanted, ground, () => means.onListening?.(urlOf(ground, healthServer)));
  }

  async function closeHealthServer(): Promise<void> {
    const server = healthServer;
    healthServer = undefined;
    await server?.stop();
  }

  async function stopAll(): Promise<void> {
    const drained = atMost(config.drainMs, Promise.allSettled(enqueuing));
    const roles = await starting?.catch(() => undefined);
    try {
      await roles?.stop();
    } finally {
      await drained;
      await heartbeat?.stop();
      await closeHealthServer();
      await ground.close();
      await closeDatabase();
    }
  }

  async function takeIn(
    workspaceId: string,
    post: NewPost,
    signal: AbortSignal,
  ): Promise<Accepted> {
    const context = { client, fetcher: ground.fetcher() };
    const owned = await withCopiedMedia(context, workspaceId, post, signal);
    const { observer } = ground.observing;
    const startedAt = observer.now();
    const accepted = await enqueuePost(context, workspaceId, owned);
    if (observer.isOn) {
      const endedAt = observer.now();
      const kept = keptPost(workspaceId, accepted, { askedAt: startedAt, keptAt: endedAt });
      observer.post({ way: 'call', startedAt, endedAt, kept });
    }
    if (accepted.channels.some((each) => each.verdict === 'queued')) wake(workspaceId);
    return accepted;
  }

  return {
    client,
    inspect: inspectOver(client),
    get url() {
      return urlOf(ground, healthServer);
    },
    async enqueue(workspaceId, post, signal = new AbortController().signal) {
      if (stopping !== undefined)
        throw new InvalidInputError('it was stopped, and takes nothing in');
      const taken = takeIn(workspaceId, post, signal);
      enqueuing.add(taken);
      try {
        return await taken;
      } finally {
        enqueuing.delete(taken);
      }
    },
    health: () => readinessOf(asked),
    async start(names) {
      const wanted = rolesNamed(names);
      refuseStart(names, { isStopped: stopping !== undefined, isStarted: starting !== undefined });
      ground.passing = 'starting';
      const roles = startAll(wanted);
      starting = roles;
      try {
        await (await roles).started;
        heartbeat = giveSignsOfLife(
          ground,
          ownClient,
          wanted.map((each) => each.name),
        );
        if (stopping === undefined) ground.passing = undefined;
      } catch (error) {
        starting = undefined;
        if (stopping === undefined) ground.passing = undefined;
        await roles.then((each) => each.stop()).catch(() => undefined);
        await closeHealthServer();
        throw error;
      }
    },
    stop() {
      ground.passing = 'stopping';
      stopping ??= stopAll();
      return stopping;
    },
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([work, late]);
  over.abort();
}

function standardLog({ logLevel: level }: Config): Log {
  return createLog({ level, pretty: false, write: (line) => void process.stdout.write(line) });
}

interface OpenedDatabase {
  readonly database: Pick<Database, 'serviceUrl'>;
  readonly closeDatabase: () => Promise<void>;
}

async function databaseOf(
  config: Config,
  { database: given, worksAs: role }: OutriderMeans,
): Promise<OpenedDatabase> {
  if (given !== undefined) return { database: given, closeDatabase: async () => undefined };
  const database = await openDatabase(config, { role });
  return { database, closeDatabase: () => database.close() };
}

function urlOf({ running }: Ground, healthServer: HttpServer | undefined): string | undefined {
  return running.find((each) => each.url !== undefined)?.url ?? healthServer?.url;
}

function refuseStart(
  names: readonly RoleName[],
  { isStopped, isStarted }: { readonly isStopped: boolean; readonly isStarted: boolean },
): void {
  if (isStopped) {
    throw new InvalidInputError('it was stopped, and does not start again', {
      hint: 'open another one',
    });
  }
  if (isStarted) {
    throw new InvalidInputError('it was started already', {
      hint: 'name all roles in one call, or open another one for the others',
    });
  }
  if (names.length > 0) return;
  throw new InvalidInputError('which role?', { hint: `there are ${roleNames.join(', ')}` });
}

function inspectOver(client: Queryable): Inspect {
  return {
    workspaces: () => listWorkspaces(client),
    workspace: (workspaceId) => showWorkspace(client, workspaceId),
    channels: (filter) => listChannels(client, filter),
    deliveries: (filter) => listDeliveries(client, filter),
    delivery: (workspaceId, deliveryId) => showDelivery(client, workspaceId, deliveryId),
  };
}
