// What the handlers of requests work with.

import type { ClaimedDelivery } from '../db/claim.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import type { MediaFetcher } from '../media/media-fetcher.ts';
import type { OriginStore } from '../media/origin-store.ts';
import type { Observer } from '../observer.ts';
import type { PayloadKeeper } from '../payloads/keeper.ts';
import type { Secrets } from '../secrets.ts';

/** A sender in this process. It sends at once what a push has claimed. */
export interface Claimer {
  readonly runId: string;
  /** Called once, even if nothing was claimed. */
  take(claimed: readonly ClaimedDelivery[]): void;
}

export interface IngestContext {
  readonly client: Queryable;
  readonly store: OriginStore;
  readonly fetcher: MediaFetcher;
  readonly secrets: Pick<Secrets, 'ofReference'>;
  readonly log: Log;
  /** Keeps raw requests. If undefined, none is kept. */
  readonly payloads?: PayloadKeeper | undefined;
  /** The largest file that /v1/media takes. */
  readonly maxUploadBytes: number;
  /** A sender that has room for a push to this workspace, if there is one. */
  claimer(workspaceId: string): Claimer | undefined;
  /** Called after each commit that left something in the queue. */
  wake(workspaceId: string): void;
  /** How long the sender of a post may take. */
  readonly patience: {
    /** For the whole body of a post. */
    readonly postMs: number;
    /** The longest silence within a body. */
    readonly silenceMs: number;
  };
  /** Who is told of posts; nobody when missing. */
  readonly observer?: Observer | undefined;
  /** Aborted when requests under way have run out of time. */
  readonly halted: AbortSignal;
}
