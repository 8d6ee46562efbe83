// Sends posts from PostgreSQL to the chats of the sandbox, with the real adapters in between.

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type MovableClock, movableClock } from '../../../sandbox/clock.ts';
import type { ChatView } from '../../../sandbox/simulator.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/start.ts';
import { drawPicture } from '../../../sandbox/vk/picture.ts';
import { type ClaimedDelivery, claimDeliveries } from '../../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../../src/db/commit.ts';
import { keepMediaOrigin } from '../../../src/db/media.ts';
import { createDeliver, type Deliver } from '../../../src/dispatch/deliver.ts';
import { createTransport, type Transport } from '../../../src/http/transport.ts';
import { folderStore } from '../../../src/media/folder-store.ts';
import type { OriginStore } from '../../../src/media/origin-store.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { harnesses } from '../../adapters/harnesses.ts';
import { addChannel, addWorkspace, start } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { type Platform, platforms } from './three-platforms.ts';

export interface Sending {
  readonly sandbox: Sandbox;
  readonly clock: MovableClock;
  readonly store: OriginStore;
  readonly folder: string;
  /** The target id of the platform's chat. */
  targetOf(platform: Platform): string;
  /** The time of the sandbox, as functions of the database take it. */
  now(): string;
  /** Adds a workspace with one channel for each platform. The channels are named like the platforms. */
  addWorkspace(workspaceId: string): Promise<void>;
  /** Puts a picture into the store and records it; answers with its blob_ref. */
  addPicture(workspaceId: string, seed: string): Promise<string>;
  /** Claims what is due, sends it and commits; answers with the deliveries and their outcomes. */
  round(
    workspaceId: string,
    patience?: { timeoutMs: number },
  ): Promise<{ held: ClaimedDelivery[]; outcomes: Outcome[] }>;
  /** What the platform's chat shows. */
  posts(platform: Platform): ChatView['posts'];
  close(): Promise<void>;
}

export async function openSending(
  database: TestDatabase,
  given: { readonly store?: OriginStore } = {},
): Promise<Sending> {
  const clock = movableClock(Date.parse(start));
  const sandbox = await startSandbox({ clock });
  const transport = createTransport();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-origin-'));
  const store = given.store ?? folderStore(folder);
  const targets = new Map(
    platforms.map((each) => [each, harnesses[each].populate(sandbox[each].simulator).targetId]),
  );
  const targetOf = (platform: Platform): string => targets.get(platform) ?? '';
  const now = (): string => new Date(clock.now()).toISOString();

  return {
    sandbox,
    clock,
    store,
    folder,
    targetOf,
    now,
    async addWorkspace(workspaceId) {
      await addWorkspace(database.admin, workspaceId);
      for (const platform of platforms) {
        await database.admin.query(
          `insert into outrider.credential_bindings
             (workspace_id, auth_ref, platform, secret_ref, updated_at)
           values ($1, $2, $2, $3, $4)`,
          [workspaceId, platform, `env:${platform.toUpperCase()}`, start],
        );
        const columns = { platform, target_id: targetOf(platform), auth_ref: platform };
        await addChannel(database.admin, workspaceId, platform, columns);
      }
    },
    async addPicture(workspaceId, seed) {
      const bytes = (async function* () {
        yield drawPicture(640, 480, seed);
      })();
      const blob = await store.put(bytes, { maxBytes: 1_000_000 });
      await keepMediaOrigin(database.service, { workspaceId, ...blob }, now());
      return blob.blobRef;
    },
    async round(workspaceId, { timeoutMs } = { timeoutMs: 20_000 }) {
      const deliver = deliverOf({ database, sandbox, transport, store, clock }, timeoutMs);
      const request = { workspaceId, runId: 'round', limit: 100 };
      const held = await claimDeliveries(database.service, request, now());
      const lease = { signal: new AbortController().signal, holds: () => true };
      const outcomes = await Promise.all(held.map((each) => deliver(workspaceId, each, lease)));
      if (outcomes.length > 0) {
        await commitOutcomes(database.service, workspaceId, outcomes, now());
      }
      return { held, outcomes };
    },
    posts(platform) {
      const chats = sandbox[platform].simulator.chats();
      return chats.find((each) => each.chat === targetOf(platform))?.posts ?? [];
    },
    async close() {
      await transport.close();
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
  };
}

interface Parts {
  readonly database: TestDatabase;
  readonly sandbox: Sandbox;
  readonly transport: Transport;
  readonly store: OriginStore;
  readonly clock: MovableClock;
}

function deliverOf(parts: Parts, timeoutMs: number): Deliver {
  const { database, sandbox, transport, store, clock } = parts;
  const now = (): Date => new Date(clock.now());
  const adapters = platforms.map((platform) => {
    const baseUrl = sandbox[platform].url;
    const options = { baseUrl, transport, timeoutMs, now };
    return [platform, harnesses[platform].createAdapter(options)] as const;
  });
  const secrets = platforms.map((each) => [each.toUpperCase(), harnesses[each].token] as const);
  return createDeliver({
    client: database.service,
    adapters: Object.fromEntries(adapters),
    secrets: createSecrets(Object.fromEntries(secrets)),
    store,
    now,
  });
}
