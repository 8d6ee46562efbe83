import { describe, expect, inject, it, vi } from 'vitest';
import { addressOf } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { type SenderChild, spawnSender } from '../support/processes/sender-child.ts';
import { addSandboxChannels, textsOf, urlsOf } from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';

// A process is stopped with SIGSTOP while its sends stand still with nothing on the wire, and goes on when
// another one has recovered and sent what it held. Only its own leases are short: they have to end.

const database = await useDatabase();
const sandbox = await useSandbox();
const undo = useUndo();

async function spawn(recoverEveryMs: number): Promise<SenderChild> {
  const { serviceLogin, servicePassword } = inject('postgres');
  const databaseUrl = addressOf(database.url, database.name, serviceLogin, servicePassword);
  const child = await spawnSender({ databaseUrl, apiUrls: urlsOf(sandbox), recoverEveryMs });
  undo.push(() => child.end('SIGKILL'));
  return child;
}

describe('a process that is frozen for longer than its leases', () => {
  const phases = ['claimed', 'called'] as const;

  it.each(phases)('sends nothing of what it held when it goes on: %s', async (phase) => {
    const workspaceId = `frozen-${phase}`;
    const channels = await addSandboxChannels(database.admin, sandbox, {
      workspaceId,
      counts: { telegram: 2, max: 2, vk: 2 },
      settings: { sending_lease: '1 second', recovery_backoff: '0 seconds' },
    });
    const shown = () => channels.map((each) => textsOf(sandbox, each));
    await post(database.service, workspaceId, phase);
    const [frozen, healthy] = await Promise.all([spawn(3_600_000), spawn(50)]);
    frozen.send(phase);
    await frozen.stopped(channels.length);
    frozen.freeze();
    await database.admin.query(
      "update outrider.workspace_settings set sending_lease = '30 seconds' where workspace_id = $1",
      [workspaceId],
    );
    healthy.send();
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 6 }),
      60_000,
    );
    frozen.goOn();
    frozen.thaw();
    await frozen.rest();
    expect(shown()).toEqual(channels.map(() => [phase]));
    expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 6 });
  });
});
