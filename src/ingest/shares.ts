// Limits what one workspace can have of this process at once: requests under way, bytes of their bodies, connections to
// the database. A workspace that wants more waits for its own requests or is refused; no other workspace notices.

import type { Queryable } from '../db/pool.ts';
import { takingTurns } from '../db/turns.ts';
import type { ByteHolder } from '../http/body.ts';

export interface Limits {
  /** Requests of one workspace under way. */
  readonly requests: number;
  /** Bytes of posts of one workspace that are kept in memory. */
  readonly bytes: number;
  /** The same for all workspaces together. */
  readonly allBytes: number;
  /** Database calls of one workspace under way. */
  readonly calls: number;
  /** How long a call waits for the calls before it. */
  readonly turnMs: number;
}

/** What one request may use. */
export interface Share extends ByteHolder {
  /** The database, for a few calls of the workspace at a time. */
  readonly client: Queryable;
}

export interface Shares {
  /** Does the work of a request. Throws when its workspace has its full number of requests under way. */
  within<Result>(workspaceId: string, work: (share: Share) => Promise<Result>): Promise<Result>;
}

/** The workspace has its whole share already. */
export class WorkspaceBusyError extends Error {
  constructor(what: string) {
    super(`the workspace has ${what} under way, which is its share`);
    this.name = 'WorkspaceBusyError';
  }
}

/** The process has no room for more bytes, of any workspace. */
export class OverloadedError extends Error {
  constructor() {
    super('the server holds as many bytes of posts as it can');
    this.name = 'OverloadedError';
  }
}

interface InUse {
  readonly client: Queryable;
  requests: number;
  bytes: number;
}

export function createShares(client: Queryable, limits: Limits): Shares {
  const { requests, bytes, allBytes, calls: atOnce, turnMs: waitMs } = limits;
  const workspaces = new Map<string, InUse>();
  let bytesOfAll = 0;

  function shareOf(workspaceId: string): InUse {
    const known = workspaces.get(workspaceId);
    if (known !== undefined) return known;
    const fresh = { client: takingTurns(client, { atOnce, waitMs }), requests: 0, bytes: 0 };
    workspaces.set(workspaceId, fresh);
    return fresh;
  }

  return {
    async within(workspaceId, work) {
      const inUse = shareOf(workspaceId);
      if (inUse.requests >= requests) throw new WorkspaceBusyError(`${requests} requests`);
      inUse.requests += 1;
      let held = 0;
      try {
        return await work({
          client: inUse.client,
          holdBytes(count) {
            if (inUse.bytes + count > bytes)
              throw new WorkspaceBusyError(`${bytes} bytes of posts`);
            if (bytesOfAll + count > allBytes) throw new OverloadedError();
            held += count;
            inUse.bytes += count;
            bytesOfAll += count;
          },
        });
      } finally {
        bytesOfAll -= held;
        inUse.bytes -= held;
        inUse.requests -= 1;
        if (inUse.requests === 0) workspaces.delete(workspaceId);
      }
    },
  };
}
