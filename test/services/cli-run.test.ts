import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { type RecordingTerminal, recordingTerminal } from '../support/cli/recording-terminal.ts';
import { addChannel, addDelivery, addNewWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { emit, storedEvent } from '../support/outbox/outbox-events.ts';

const database = await useDatabase();
const folder = await useFolder();
let stop: (() => Promise<void>) | undefined;

beforeAll(() => {
  vi.stubEnv('OUTRIDER_DATA_DIR', folder);
  vi.stubEnv('OUTRIDER_PORT', '0');
});

afterEach(async () => {
  await stop?.();
  stop = undefined;
});

afterAll(() => vi.unstubAllEnvs());

/** Runs `outrider run` with these roles until the end of the test. */
function running(roles: readonly string[], databaseUrl = database.url): RecordingTerminal {
  vi.stubEnv('DATABASE_URL', databaseUrl);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const terminal = recordingTerminal({ isTty: false, stopped });
  const ended = run.run(roles, terminal);
  stop = async () => {
    resolve();
    expect(await ended).toBe(0);
  };
  return terminal;
}

async function expiredLeases(workspaceId: string): Promise<number> {
  const { rowCount } = await database.admin.query(
    `select from outrider.events where workspace_id = $1 and action = 'sending_lease_expired'`,
    [workspaceId],
  );
  return rowCount ?? 0;
}

describe('outrider run', () => {
  it('publishes, with a login that is outrider_publisher and no more', async () => {
    const id = await emit(database.service);
    running(['publish'], await database.addLogin({ roles: ['outrider_publisher'] }));
    await vi.waitFor(
      async () => expect((await storedEvent(database.admin, id))?.published_at).not.toBeNull(),
      30_000,
    );
  });

  it('publishes beside other roles', async () => {
    const id = await emit(database.service);
    const terminal = running(['publish', 'dispatch']);
    await vi.waitFor(
      async () => expect((await storedEvent(database.admin, id))?.published_at).not.toBeNull(),
      30_000,
    );
    expect(terminal.printed()).toContain('"dispatching"');
  });

  it.each([[['dispatch']], [['upkeep']]])(
    'recovers what dead senders have left, also where it was only told to send: %j',
    async (roles) => {
      const workspaceId = await addNewWorkspace(database);
      await addChannel(database.admin, workspaceId, 'c');
      await addDelivery(database.admin, workspaceId, 'c');
      const claim = { workspaceId, runId: 'a sender that died', limit: 1 };
      expect(await claimDeliveries(database.service, claim, start)).toHaveLength(1);
      running(roles);
      await vi.waitFor(async () => expect(await expiredLeases(workspaceId)).toBe(1), 30_000);
    },
  );
});
