// The HTTP side on the database of a test, and requests to it over real sockets.

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { type IngestOptions, startIngest } from '../../../src/ingest/ingest.ts';
import { createLog } from '../../../src/log.ts';
import { folderStore } from '../../../src/media/folder-store.ts';
import { createMediaFetcher } from '../../../src/media/media-fetcher.ts';
import type { OriginStore } from '../../../src/media/origin-store.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { healthy } from '../../../src/service.ts';
import { runPrefix } from '../runner/run-folders.ts';

export interface Ingest {
  readonly url: string;
  readonly store: OriginStore;
  /** The workspaces that were woken, in order. */
  readonly woken: string[];
  /** Everything that was logged, as lines of JSON. */
  readonly lines: string[];
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const maxUploadBytes = 100_000;

/** The environment that `signing_secret_ref` names. */
export const signingSecrets: Readonly<Record<string, string>> = {
  PLAIN: 'plain signing secret',
  ENCODED: `whsec_${Buffer.from('encoded signing secret').toString('base64')}`,
};

export async function openIngest(
  client: Queryable,
  options: Partial<IngestOptions> = {},
): Promise<Ingest> {
  const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  const store = folderStore(folder);
  const privateHosts = ['127.0.0.1'];
  const fetcher = createMediaFetcher({ store, maxBytes: maxUploadBytes, privateHosts });
  const woken: string[] = [];
  const lines: string[] = [];
  const service = await startIngest({
    client,
    store,
    fetcher,
    log: createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) }),
    host: '127.0.0.1',
    port: 0,
    allowedHosts: ['x'], // what requests of raw sockets are for
    connections: 100,
    maxUploadBytes,
    secrets: createSecrets(signingSecrets),
    claimer: () => undefined,
    wake: (workspaceId) => void woken.push(workspaceId),
    health: () => [{ name: 'ingest', health: healthy }],
    ...options,
  });
  return {
    url: service.url,
    store,
    woken,
    lines,
    stop: () => service.stop(),
    async [Symbol.asyncDispose]() {
      await service.stop();
      await fetcher.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

const Body = z.record(z.string(), z.unknown());

/** Sends any request. The answer must be JSON. */
export async function request(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  const body = Body.parse(await response.json());
  return { status: response.status, headers: response.headers, body };
}

/** Sends a post, or the bytes of a body, to the endpoint with that secret. */
export async function send(
  { url }: { readonly url: string },
  secret: string | undefined,
  post: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return request(`${url}/v1/ingest`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...headers,
    },
    body: typeof post === 'string' || post instanceof Uint8Array ? post : JSON.stringify(post),
  });
}

const Refused = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    path: z.string().optional(),
    max_payload_bytes: z.number().optional(),
  }),
  run_id: z.string().optional(),
});

/** Why a request was refused. */
export function refusalIn({ body }: Reply): z.output<typeof Refused>['error'] {
  return Refused.parse(body).error;
}

/** The same pool. `after` is called when a query is done; if it throws, the query fails. */
export function overheard(pool: Queryable, after: (statement: string) => void): Queryable {
  return {
    query: async (config: string | pg.QueryConfig<unknown[]>) => {
      const isText = typeof config === 'string';
      const answer = isText ? await pool.query(config) : await pool.query(config);
      after(isText ? config : config.text);
      return answer;
    },
  };
}
