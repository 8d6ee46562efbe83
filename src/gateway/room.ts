// How much the gateway does at once. A request that finds no room is refused before anything is begun.

import type { ByteHolder } from '../http/body.ts';

/** There is no room for the request. */
export class NoRoomError extends Error {
  constructor(what: string) {
    super(`the gateway has ${what} under way, which is its limit`);
    this.name = 'NoRoomError';
  }
}

/** What one request takes up. */
export interface Place extends ByteHolder {
  /** Counts the request for its workspace. Throws when the workspace has its share. */
  readonly countFor: (workspaceId: string) => void;
}

export interface RoomOptions {
  /** The most requests at once. */
  readonly most: number;
  /** The most of one workspace. */
  readonly mostOfOne: number;
  /** The most bytes of bodies that are kept in memory. */
  readonly mostBytes: number;
}

export interface Room {
  /** Does the work of a request. Throws NoRoomError when there is no room. */
  within<Result>(work: (place: Place) => Promise<Result>): Promise<Result>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export function createRoom({ most, mostOfOne, mostBytes }: RoomOptions): Room {
  const perWorkspace = new Map<string, number>();
  let total = 0;
  let bytes = 0;
  let idle: PromiseWithResolvers<void> | undefined;

  function count(workspaceId: string, by: number): void {
    const now = (perWorkspace.get(workspaceId) ?? 0) + by;
    if (now > 0) perWorkspace.set(workspaceId, now);
    else perWorkspace.delete(workspaceId);
  }

  return {
    async within(work) {
      if (total >= most) throw new NoRoomError(`${most} requests`);
      total += 1;
      let heldBytes = 0;
      let counted: string | undefined;
      try {
        return await work({
          holdBytes(more) {
            if (bytes + more > mostBytes) throw new NoRoomError(`${mostBytes} bytes of requests`);
            bytes += more;
            heldBytes += more;
          },
          countFor(workspaceId) {
            if ((perWorkspace.get(workspaceId) ?? 0) >= mostOfOne) {
              throw new NoRoomError(`${mostOfOne} requests of the workspace`);
            }
            count(workspaceId, 1);
            counted = workspaceId;
          },
        });
      } finally {
        total -= 1;
        bytes -= heldBytes;
        if (counted !== undefined) count(counted, -1);
        if (total === 0) idle?.resolve();
      }
    },
    async idle() {
      if (total === 0) return;
      idle ??= Promise.withResolvers();
      await idle.promise;
    },
  };
}
