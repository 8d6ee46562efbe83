// The demo workspace, as presets/demo.yaml has it.

import { readFile } from 'node:fs/promises';
import { applyWorkspace } from '../../db/apply.ts';
import { listCredentials } from '../../db/inspect.ts';
import { reopenCredential } from '../../db/operate.ts';
import type { Queryable } from '../../db/pool.ts';
import { OutriderError } from '../../errors.ts';
import { readConfiguration } from './read-configuration.ts';

const workspaceId = 'demo';
const preset = new URL('../../../presets/demo.yaml', import.meta.url);

/** The document, as outrider.apply_workspace takes it. */
export async function demoDocument(): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(preset, 'utf8');
  const [demo] = await readConfiguration('presets/demo.yaml', text, {});
  if (demo === undefined) throw new OutriderError('configuration', 'presets/demo.yaml is empty');
  return demo.document;
}

/** Makes the demo workspace, or brings it back to what the preset says. */
export async function applyDemo(client: Queryable): Promise<void> {
  await applyWorkspace(client, { document: await demoDocument(), prune: false, dryRun: false });
}

/** Opens the rate groups that an earlier sandbox closed: a sandbox that has just started accepts all its tokens. */
export async function reopenDemo(client: Queryable, operator: string): Promise<void> {
  const reason = 'outrider up --sandbox: the sandbox has started anew';
  for (const { authRef } of await listCredentials(client, workspaceId)) {
    await reopenCredential(client, { workspaceId, authRef, operator, reason });
  }
}
