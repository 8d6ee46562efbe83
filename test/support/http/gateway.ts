// The gateway as a process runs it, and requests to it over real sockets.

import { z } from 'zod';
import type { Sandbox } from '../../../sandbox/start.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import { createLog } from '../../../src/log.ts';
import { type OutriderMeans, openOutrider, type RoleName } from '../../../src/outrider.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { sandboxSecrets, urlsOf } from '../sandbox/sandbox-channels.ts';
import { type Reply, request } from './ingest.ts';

export const gatewayToken = 'canary-token-of-the-gateway';

export interface GatewayGround {
  readonly database: TestDatabase;
  readonly sandbox: Sandbox;
  /** Where media are kept. */
  readonly folder: string;
}

export interface GatewayOptions {
  /** Any when missing. */
  readonly port?: number | undefined;
  readonly means?: OutriderMeans | undefined;
  readonly roles?: readonly RoleName[] | undefined;
  readonly concurrency?: number | undefined;
  readonly drainMs?: number | undefined;
  readonly payloadKeyRef?: string | undefined;
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

export interface OpenGateway extends AsyncDisposable {
  readonly url: string;
  /** Everything that was logged, as lines of JSON. */
  readonly lines: readonly string[];
  ask(route: string, body: unknown, init?: RequestInit): Promise<Reply>;
}

export async function openGateway(
  { database, sandbox, folder }: GatewayGround,
  options: GatewayOptions = {},
): Promise<OpenGateway> {
  const { port = 0, means, roles = ['adapters'], concurrency = 20, drainMs = 30_000 } = options;
  const lines: string[] = [];
  const outrider = await openOutrider(
    {
      databaseUrl: database.url,
      apiUrls: urlsOf(sandbox),
      http: { port },
      dataDir: folder,
      media: { privateHosts: ['127.0.0.1'] },
      alerts: { privateHosts: ['127.0.0.1'] },
      drainMs,
      concurrency,
      payloadKeyRef: options.payloadKeyRef,
      gatewayTokenRef: 'env:GATEWAY_TOKEN',
      secrets: { ...sandboxSecrets, GATEWAY_TOKEN: gatewayToken, ...options.secrets },
    },
    {
      log: createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) }),
      ...means,
    },
  );
  await outrider.start(roles);
  const url = outrider.url ?? '';
  return {
    url,
    lines,
    ask: (route, body, init) => ask(url, route, body, init),
    [Symbol.asyncDispose]: () => outrider.stop(),
  };
}

function ask(url: string, route: string, body: unknown, init: RequestInit = {}): Promise<Reply> {
  return request(`${url}${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gatewayToken}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}

export type Row = Readonly<Record<string, unknown>>;

/** What a query answers, as a program that knows nothing of Outrider reads it: bigint as text, times in ISO 8601. */
export async function rowsOf(client: Queryable, text: string, values: unknown[]): Promise<Row[]> {
  const Answer = z.object({ row: z.record(z.string(), z.unknown()) });
  const rows = await queryRows(
    client,
    Answer,
    `select to_jsonb(answer) as row from ${text} as answer`,
    values,
  );
  return rows.map(({ row }) =>
    'lease_ms' in row ? { ...row, lease_ms: String(row['lease_ms']) } : row,
  );
}

/** Claims deliveries as n8n does; each row with its workspace. */
export async function claimRows(
  { service }: TestDatabase,
  workspaceId: string,
  lease = '1 minute',
): Promise<Row[]> {
  const call = 'outrider.claim_deliveries($1, $2, 20, $3::interval)';
  const rows = await rowsOf(service, call, [workspaceId, 'n8n', lease]);
  return rows.map((row) => ({ workspace_id: workspaceId, ...row }));
}

const Became = z.object({ became: z.string().nullable(), note: z.string().nullable() });

/** Commits an entry as it came, and says what became of the delivery. */
export async function commitEntry(
  { service }: TestDatabase,
  workspaceId: string,
  entry: unknown,
): Promise<z.output<typeof Became>> {
  const [row] = await queryRows(
    service,
    Became,
    'select became::text, note from outrider.commit_outcomes($1, $2::jsonb)',
    [workspaceId, JSON.stringify([entry])],
  );
  if (row === undefined) throw new Error('nothing was answered');
  return row;
}
