// What one workspace can have of this process at once: requests under way, bytes of their bodies, connections to
// the database. Whoever wants more waits for its own or is refused; nobody else notices.

import type { Queryable } from '../db/pool.ts';
import { takingTurns } from '../db/turns.ts';
import type { ByteHolder } from '../http/body.ts';

export interface Limits {
  /** Requests under way, of one workspace. */
  readonly requests: number;
  /** Bytes of posts that are kept in memory, of one workspace. */
  readonly bytes: number;
  /** The same, of all of them. */
  readonly allBytes: number;
  /** Calls of the database under way, of one workspace. */
  readonly calls: number;
  /** How long a call waits for those before it. */
  readonly turnMs: number;
}

/** Of one request. */
export interface Share extends ByteHolder {
  /** The database, a few calls of the workspace at a time. */
  readonly client: Queryable;
}

export interface Shares {
  /** Does the work of a request; throws when its workspace has as many under way as it may. */
  within<Result>(workspaceId: string, work: (share: Share) => Promise<Result>): Promise<Result>;
}

/** The workspace has its whole share already. */
export class WorkspaceBusyError extends Error {
  constructor(what: string) {
    super(`the workspace has ${what} under way, which is its share`);
    this.name = 'WorkspaceBusyError';
  }
}

/** The process has no room for more bytes, whoever they are from. */
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
