// The workspaces that may be seen. While the database is away, those that were there before.

import { listWorkspaces, type Workspace } from '../db/inspect.ts';
import type { Queryable } from '../db/pool.ts';
import { DatabaseAwayError, DatabaseBusyError } from '../errors.ts';

export interface WorkspacesOptions {
  /** The workspaces that may be seen; none named: all. */
  readonly workspaces: readonly string[];
  /** The one that is shown first. */
  readonly workspaceId: string | undefined;
}

export interface SeenWorkspaces {
  list(): Promise<readonly Workspace[]>;
  /** The one that is asked for, or the first one where none is; undefined when it is not among them. */
  chosen(known: readonly Workspace[], asked: string | undefined): string | undefined;
}

export function createWorkspaces(
  client: Queryable,
  { workspaces: allowed, workspaceId: usual }: WorkspacesOptions,
): SeenWorkspaces {
  let last: readonly Workspace[] | undefined;

  return {
    async list() {
      try {
        const all = await listWorkspaces(client);
        last = all.filter((each) => allowed.length === 0 || allowed.includes(each.workspaceId));
        return last;
      } catch (error) {
        const isAway = error instanceof DatabaseAwayError || error instanceof DatabaseBusyError;
        if (isAway && last !== undefined) return last;
        throw error;
      }
    },
    chosen(known, asked) {
      const ids = known.map((each) => each.workspaceId);
      if (asked !== undefined) return ids.find((id) => id === asked);
      return ids.find((id) => id === usual) ?? ids[0];
    },
  };
}
