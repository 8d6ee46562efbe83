// What a pull needs, in a test's database.

import { systemClock } from '../../../src/clock.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { type ClaimedSource, claimPullSource } from '../../../src/db/pull.ts';
import type { MediaFetcher } from '../../../src/media/media-fetcher.ts';
import type { PullContext } from '../../../src/pull/pull-source.ts';
import type { SourceKind } from '../../../src/pull/source.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { start } from '../database/seed.ts';

const noFetcher: MediaFetcher = {
  fetch: () => Promise.reject(new Error('nothing is fetched here')),
  pictureHash: () => Promise.reject(new Error('nothing is fetched here')),
  close: async () => undefined,
};

export interface PullGround extends PullContext {
  readonly woken: string[];
}

export function pullGround(
  client: Queryable,
  given: Partial<Omit<PullContext, 'client' | 'kinds'>> & {
    readonly kinds: readonly SourceKind[];
    readonly secrets?: Readonly<Record<string, string>>;
    readonly vkUrl?: string;
  },
): PullGround {
  const { secrets = {}, vkUrl, ...others } = given;
  const woken: string[] = [];
  return {
    client,
    fetcher: noFetcher,
    clock: systemClock,
    lease: '1 minute',
    wake: (workspaceId) => void woken.push(workspaceId),
    readers: {},
    means: { secrets: createSecrets(secrets), privateHosts: [], apiUrls: { vk: vkUrl } },
    woken,
    ...others,
  };
}

/** The source that is due; fails when none is. */
export async function claimDue(client: Queryable, now = start): Promise<ClaimedSource> {
  const claim = { runId: 'test', lease: '1 minute', except: [] };
  const claimed = await claimPullSource(client, claim, now);
  if (claimed === undefined) throw new Error('no source is due');
  return claimed;
}

export interface NewSource {
  readonly workspaceId: string;
  readonly sourceId?: string;
  readonly kind?: string;
  readonly config?: object;
}

export async function addSource(
  admin: Queryable,
  { workspaceId, sourceId = 'source', kind = 'db', config = {} }: NewSource,
  createdAt = start,
): Promise<void> {
  await admin.query(
    `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
     values ($1, $2, $3, $4, $5)`,
    [workspaceId, sourceId, kind, JSON.stringify(config), createdAt],
  );
}
