// How Outrider opens connections. A query never waits for ever: the server stops a statement that
// runs too long, and the driver gives up on a connection that went silent.

import pg from 'pg';
import { DatabaseAwayError, DatabaseFaultError, fromPostgres, OutriderError } from '../errors.ts';
import { exactTypes } from './exact-types.ts';
import { warmUp } from './health.ts';

/** Rows as they come; the reader parses them. */
export interface Answer {
  readonly rows: unknown[];
}

/** Anything that runs a query: a pool, a client, a client out of a pool. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<Answer>;
  query(config: pg.QueryConfig<unknown[]>): Promise<Answer>;
}

export interface ConnectionOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly connectTimeoutMs?: number | undefined;
  /** The server gives up on a statement after this; 0: never. */
  readonly statementTimeoutMs?: number | undefined;
  /** The server gives up on waiting for a lock after this; when missing, only with the statement. */
  readonly lockTimeoutMs?: number | undefined;
  /** The driver gives up on a silent connection this much later. */
  readonly silenceMs?: number | undefined;
}

export interface PoolOptions extends ConnectionOptions {
  readonly max?: number | undefined;
  /** How many connections stay open while idle, with the plans that they have made; 3 when missing. */
  readonly keep?: number | undefined;
  /** How long the others stay open while idle. */
  readonly restMs?: number | undefined;
  /** Opens all that stay as soon as one is needed, and has them make their plans before a post waits for them. */
  readonly warms?: boolean | undefined;
  /** Called for a connection that breaks while idle; the pool has already dropped it. */
  readonly onError?: ((error: OutriderError) => void) | undefined;
}

export function openPool(options: PoolOptions): pg.Pool {
  const { max = 10, restMs = 10_000, warms = false } = options;
  const keep = Math.min(options.keep ?? 3, max);
  const pool = new pg.Pool({
    ...connectionConfig(options),
    max,
    min: keep,
    idleTimeoutMillis: restMs,
  });
  // Without a listener a restart of the server would end our process.
  pool.on('error', (error) => options.onError?.(fromPostgres(error)));
  pool.on('connect', (client) => {
    closeAfterGoodbye(client);
    client.on('error', () => undefined); // when it breaks while lent out, the next query reports it
    // Runs before the query that it was opened for. Without the right to warm up, the first post makes the plans.
    if (warms && pool.totalCount <= keep) void warmUp(client).catch(() => undefined);
  });
  if (warms) pool.once('connect', () => openOthers(pool, keep));
  return Object.assign(pool, { query: keepingConnections(pool) });
}

/**
 * Queries of a pool. The driver's own would end a connection, with all the plans that it has made, whenever the server
 * refuses a query: somebody who posts nonsense could make everybody wait for new plans.
 */
function keepingConnections(pool: pg.Pool) {
  return async (query: string | pg.QueryConfig<unknown[]>, values?: unknown[]) => {
    const client = await pool.connect();
    try {
      const answer = await (typeof query === 'string'
        ? client.query(query, values)
        : client.query(query));
      client.release();
      return answer;
    } catch (error) {
      client.release(!isRefusal(error));
      throw error;
    }
  };
}

// Our own errors, data, constraints, a rolled back transaction, a lock, a statement that took too long. Another error,
// such as that of a server that may only be read, may be gone on another connection.
const statesOfRefusals = /^(?:OR...|22...|23...|40...|55...|57014)$/;

/** Whether the query is at fault, not the connection. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && statesOfRefusals.test(error.code ?? '');
}

/** Opens the connections that stay, besides the first. One that fails here is opened when it is needed. */
function openOthers(pool: pg.Pool, keep: number): void {
  for (let count = 1; count < keep; count += 1) {
    pool.connect().then(
      (client) => client.release(),
      () => undefined,
    );
  }
}

export interface ClientOptions extends ConnectionOptions {
  /** Breaks the connection, whatever it is doing; a silent one would not answer a goodbye. */
  readonly signal?: AbortSignal | undefined;
}

/** One connection of its own, for session state: locks, LISTEN, transactions over several calls. */
export async function openClient({ signal, ...options }: ClientOptions): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(options));
  client.on('error', () => undefined); // the next query reports it
  const breakOff = (): void => void client.connection.stream.destroy();
  signal?.addEventListener('abort', breakOff, { once: true });
  client.once('end', () => signal?.removeEventListener('abort', breakOff));
  try {
    await client.connect();
    closeAfterGoodbye(client);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw withAddressHint(atPlace(fromPostgres(error), placeOf(options.url)));
  }
}

/** Where a server is: host and port, or a socket's folder. Never with the user or the password. */
export function placeOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (host.startsWith('/')) return host;
  return `${host === '' ? 'localhost' : host}:${searchParams.get('port') ?? (port === '' ? '5432' : port)}`;
}

function atPlace(error: OutriderError, place: string): OutriderError {
  if (!(error instanceof DatabaseAwayError)) return error;
  const message = error.message.replace(
    /^(the|the connection to the) database (cannot|was)/,
    `$1 database at ${place} $2`,
  );
  return new DatabaseAwayError(
    message === error.message ? `${message} (${place})` : message,
    error,
  );
}

/** By the SQLSTATE of a server that refuses the connection: what is wrong with the address, and where to correct it. */
const addressHints: Readonly<Record<string, string>> = {
  '28P01': 'DATABASE_URL says the user and the password: correct them there',
  '28000':
    'DATABASE_URL says the user and the database: correct them there, or let the server admit the user (pg_hba.conf)',
  '3D000': 'DATABASE_URL says the database: correct it there, or create the database (createdb)',
};

function withAddressHint(error: OutriderError): OutriderError {
  const hint = addressHints[error.sqlstate ?? ''];
  if (hint === undefined || !(error instanceof DatabaseFaultError)) return error;
  return new DatabaseFaultError(error.message, { sqlstate: error.sqlstate, hint });
}

// A connection that has gone silent never answers a goodbye. Left open, it would keep our process alive.
function closeAfterGoodbye({ connection: { stream } }: pg.Client): void {
  stream.once('finish', () => setTimeout(() => stream.destroy(), 1000).unref());
}

function connectionConfig(options: ConnectionOptions): pg.ClientConfig {
  const statementTimeout = options.statementTimeoutMs ?? 30_000;
  return {
    connectionString: withSessionSettings(options.url),
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    // The network does not forget an idle connection, and we notice one that is dead.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    // Queries sent without waiting for one another share round trips. Answers come in order, and
    // one failing query does not break the next; cursors are the only thing it rules out.
    pipeline: true,
    types: exactTypes,
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
    ...(statementTimeout > 0
      ? {
          statement_timeout: statementTimeout,
          query_timeout: statementTimeout + (options.silenceMs ?? 5_000),
        }
      : {}),
  };
}

// We read times from texts: their form must not depend on the server's configuration. Nor must the isolation: under another
// default, functions that lock and then read would fail whenever two of them meet.
const sessionSettings =
  '-c datestyle=ISO -c timezone=UTC -c default_transaction_isolation=read\\ committed';

function withSessionSettings(url: string): string {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new OutriderError('configuration', 'the database address is not a postgres:// address', {
      hint: 'postgresql://user:password@host:5432/database',
    });
  }
  const parsed = new URL(url);
  const own = parsed.searchParams.get('options');
  parsed.searchParams.set('options', own === null ? sessionSettings : `${sessionSettings} ${own}`);
  return parsed.toString();
}
