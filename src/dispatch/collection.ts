// The collection of files as a chore: once a day, rows first and then bytes. Processes may do it at the same time.

import { type Chore, startChore, type TurnPace } from '../chore.ts';
import type { Clock } from '../clock.ts';
import { knownOrigins } from '../db/media.ts';
import { knownPayloadObjects } from '../db/payloads.ts';
import type { Queryable } from '../db/pool.ts';
import type { Purged } from '../db/retention.ts';
import type { Log } from '../log.ts';
import { type Collected, collectBytes } from '../media/collect.ts';
import { forgetUnused } from '../media/forget-unused.ts';
import { type OriginStore, StoreAwayError } from '../media/origin-store.ts';

export interface CollectionOptions {
  readonly client: Queryable;
  readonly media: OriginStore;
  /** Objects of raw payloads. */
  readonly payloads: OriginStore;
  /** Only counts. */
  readonly dryRun?: boolean | undefined;
  /** Bytes that were put or set aside since are left alone. */
  readonly minAgeMs?: number | undefined;
  readonly isOver?: (() => boolean) | undefined;
  /** Production leaves the time to the database; tests move it. */
  readonly now?: string | undefined;
}

/** Answers with what went, or in a dry run would go, as the purge does. */
export async function collectFiles(options: CollectionOptions): Promise<Purged[]> {
  const { client, media, payloads } = options;
  const rows = (await forgetUnused(options)).map(({ workspaceId, count, note }) => {
    return { what: 'media_origin', workspaceId, removed: count, more: false, note };
  });
  const ofMedia = async (urls: readonly string[]) => new Set(await knownOrigins(client, urls));
  const ofPayloads = async (urls: readonly string[]) =>
    new Set(await knownPayloadObjects(client, urls));
  const files = [
    await bytesOf('media_files', () => collectBytes({ ...options, store: media, named: ofMedia })),
    await bytesOf('payload_files', () =>
      collectBytes({ ...options, store: payloads, named: ofPayloads }),
    ),
  ];
  return [...rows, ...files].filter((each) => each.removed > 0 || each.note !== null);
}

/** A store that is away keeps nobody from the rest. */
async function bytesOf(what: string, collect: () => Promise<Collected>): Promise<Purged> {
  const of = { what, workspaceId: null, more: false };
  try {
    const { removed, setAside } = await collect();
    const note = setAside === 0 ? null : `${setAside} more are named by nobody, and go in an hour`;
    return { ...of, removed, note };
  } catch (error) {
    if (error instanceof StoreAwayError) return { ...of, removed: 0, note: error.message };
    throw error;
  }
}

export interface CollectingOptions
  extends Pick<CollectionOptions, 'client' | 'media' | 'payloads'> {
  readonly log: Log;
  readonly clock: Clock;
}

const hourMs = 3_600_000;

export function startCollection({ log, clock, ...where }: CollectingOptions): Chore {
  async function turn({ isOver }: TurnPace): Promise<void> {
    for (const { what, workspaceId, removed, note } of await collectFiles({ ...where, isOver })) {
      const facts = workspaceId === null ? { what } : { what, workspace_id: workspaceId };
      if (removed > 0) log.info('deleted files that nobody names', { ...facts, removed });
      if (note !== null) log.info('some files are left', { ...facts, note });
    }
  }

  return startChore({
    log,
    clock,
    words: {
      failed: 'files that nobody names cannot be deleted',
      over: 'files that nobody names are deleted again',
    },
    everyMs: 24 * hourMs,
    retryMs: hourMs,
    turn,
  });
}
