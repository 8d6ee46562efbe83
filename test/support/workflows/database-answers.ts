// The database that a run of a workflow in a test has: what its functions answer.

import type { Call } from './run.ts';
import type { Row } from './ways.ts';

/** What the functions answer that claim nothing. */
export function databaseAnswer({ name }: Call): readonly Row[] {
  switch (name) {
    case 'take_run':
      return [{ taken: true }];
    case 'next_workspaces':
      return [{ workspace_id: 'locked' }, { workspace_id: 'w1' }, { workspace_id: 'w2' }];
    case 'stale_workspaces':
    case 'alerting_workspaces':
      return [{ workspace_id: 'w1' }, { workspace_id: 'w2' }];
    case 'ingest_pull_chunk':
      return [{ taken: { verdict: 'taken' } }];
    case 'wake_dispatchers':
    case 'end_run':
    case 'run_bot_turn':
    case 'fail_pull':
    case 'commit_outcomes':
    case 'commit_bot_replies':
    case 'release_claims':
    case 'recover_leases':
    case 'recover_bot_replies':
      return [{}];
    default:
      return [];
  }
}
