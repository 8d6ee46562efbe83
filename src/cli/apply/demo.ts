// The demo workspace, as presets/demo.yaml has it.

import { applyWorkspace } from '../../db/apply.ts';
import { listCredentials } from '../../db/inspect.ts';
import { reopenCredential } from '../../db/operate.ts';
import type { Queryable } from '../../db/pool.ts';
import { presetDocument } from './preset.ts';

const workspaceId = 'demo';

/** Makes the demo workspace, or brings it back to what the preset says. */
export async function applyDemo(client: Queryable): Promise<void> {
  await applyWorkspace(client, {
    document: await presetDocument(workspaceId),
    prune: false,
    dryRun: false,
  });
}

/** Opens the rate groups that an earlier sandbox closed: a sandbox that has just started accepts all its tokens. */
export async function reopenDemo(client: Queryable, operator: string): Promise<void> {
  const reason = 'outrider up --sandbox: the sandbox has started anew';
  for (const { authRef } of await listCredentials(client, workspaceId)) {
    await reopenCredential(client, { workspaceId, authRef, operator, reason });
  }
}
