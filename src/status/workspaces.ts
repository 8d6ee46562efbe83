// Lists the workspaces that the page may show. While the database is away, it gives those that it listed last.

import { listWorkspaces, type Workspace } from '../db/inspect.ts';
import type { Queryable } from '../db/pool.ts';
import { DatabaseAwayError, DatabaseBusyError } from '../errors.ts';

export interface WorkspacesOptions {
  /** The only workspaces that may be seen; if the list is empty, all may. */
  readonly workspaces: readonly string[];
  /** The workspace that is shown if none is asked for. */
  readonly workspaceId: string | undefined;
}

export interface VisibleWorkspaces {
  list(): Promise<readonly Workspace[]>;
  /** The workspace that is asked for, undefined if it is not known. If none is asked for, the usual one, else the first. */
  chosen(known: readonly Workspace[], asked: string | undefined): string | undefined;
}

export function visibleWorkspaces(
  client: Queryable,
  { workspaces: allowed, workspaceId: usual }: WorkspacesOptions,
): VisibleWorkspaces {
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
