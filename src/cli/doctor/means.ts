// What the doctor looks with: connections, adapters, the store and the broker, as far as they can be opened.

import { setTimeout as delay } from 'node:timers/promises';
import { platforms } from '../../adapters/platforms.ts';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type Database, openDatabase, schemaDir } from '../../db/open.ts';
import { openClient, openPool, placeOf, type Queryable } from '../../db/pool.ts';
import type { Means } from '../../doctor/gather.ts';
import type { Machine, Opening } from '../../doctor/installation.ts';
import { watchTimes } from '../../doctor/platform-times.ts';
import { OutriderError } from '../../errors.ts';
import { createTransport } from '../../http/transport.ts';
import { silentLog } from '../../log.ts';
import { freeSpaceOf } from '../../monitor/store-facts.ts';
import { ownVersion } from '../../own-version.ts';
import { openConfiguredBroker } from '../../roles/configured-broker.ts';
import { openStores } from '../../roles/configured-stores.ts';
import { connectionsOfUp } from '../../roles/connections.ts';
import { openTransport } from '../../roles/providers.ts';
import { createSecrets } from '../../secrets.ts';
import type { Terminal } from '../command.ts';
import { stageInWords } from '../opening.ts';

/** How long a platform, a store or a source may take for one answer. */
const patienceMs = 15_000;

export interface OpenedMeans extends AsyncDisposable {
  readonly means: Means;
}

export interface DoctorOptions {
  readonly config: Config;
  readonly terminal: Pick<Terminal, 'err'>;
  readonly begin: (what: string) => void;
  readonly signal: AbortSignal;
}

/** `found` is what became of opening the database. */
export async function openMeans(options: DoctorOptions, found: Found): Promise<OpenedMeans> {
  const { config, begin, signal } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).toReversed()) await each().catch(() => undefined);
  };
  const { database } = found;
  if (database !== undefined) closers.push(() => database.close());
  const client = database === undefined ? undefined : poolOf(database, closers);
  const secrets = createSecrets(config.secrets);
  // The check of the certificates says what is wrong with them.
  const opened = await openTransport(config).catch(() => createTransport());
  const transport = watchTimes(opened, Date.now);
  closers.push(() => transport.close());
  const adapters = await Promise.all(
    platforms.map(async ({ name, create }) => {
      return [name, await create({ transport, baseUrl: config.apiUrls[name] })] as const;
    }),
  );
  const machine: Machine = {
    config,
    secrets,
    openStore() {
      const stores = openStores(config, secrets);
      closers.push(async () => stores[Symbol.asyncDispose]());
      return stores.media;
    },
    openBroker: () => openConfiguredBroker(config, secrets, silentLog),
    freeSpace: freeSpaceOf,
    connectionsOfUp,
    patienceMs,
    now: Date.now,
  };
  const means: Means = {
    machine,
    opening: found.opening,
    url: found.url,
    client,
    schemaDir,
    version: ownVersion(),
    clock: systemClock,
    secrets,
    adapters: Object.fromEntries(adapters),
    transport,
    wait: (ms, waiting) => delay(ms, undefined, { signal: waiting }).catch(() => undefined),
    begin,
    signal,
  };
  return { means, [Symbol.asyncDispose]: close };
}

function poolOf(database: Database, closers: (() => Promise<unknown>)[]): Queryable {
  const url = database.serviceUrl;
  const pool = openPool({ url, applicationName: 'outrider doctor', max: 2 });
  closers.push(() => pool.end());
  return pool;
}

export interface Found {
  readonly opening: Opening;
  /** Of the login; missing when the server cannot be reached. */
  readonly url?: string;
  /** Missing when the schema is not ours. */
  readonly database?: Database;
}

/** A database that cannot be opened is a finding. Nothing is migrated, and no data folder is made. */
export async function openForLook({
  config,
  terminal,
  begin,
  signal,
}: DoctorOptions): Promise<Found> {
  const { databaseUrl, postgresDir } = config;
  const place = databaseUrl === undefined ? postgresDir : placeInWords(databaseUrl);
  try {
    const database = await openDatabase(config, {
      migration: 'never',
      signal,
      notice: (line) => terminal.err(line),
      onStage: (stage) => begin(stageInWords(stage, config)),
    });
    return { opening: { place }, url: database.url, database };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OutriderError)) throw error;
    if (databaseUrl === undefined) return { opening: { place, unreachable: error } };
    const unreachable = await whyUnreachable(databaseUrl, signal);
    if (unreachable !== undefined) return { opening: { place, unreachable } };
    return { opening: { place, refused: error }, url: databaseUrl };
  }
}

/** What to show when the text is no address: the opening of the database reports that. */
function placeInWords(databaseUrl: string): string {
  return URL.canParse(databaseUrl) ? placeOf(databaseUrl) : 'of DATABASE_URL';
}

async function whyUnreachable(
  url: string,
  signal: AbortSignal,
): Promise<OutriderError | undefined> {
  try {
    const client = await openClient({ url, applicationName: 'outrider doctor', signal });
    await client.end();
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutriderError) return error;
    throw error;
  }
}
