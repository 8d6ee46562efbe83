import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { run } from '../../src/cli/run.ts';
import { databaseTime } from '../../src/db/health.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { type RecordingTerminal, recordingTerminal } from '../support/cli/recording-terminal.ts';
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

/** What the connections for claims that were opened since then have asked last. */
async function asked(since: Date): Promise<string> {
  const rows = await queryRows(
    database.admin,
    z.object({ query: z.string() }),
    `select query from pg_stat_activity
     where datname = current_database() and application_name = 'outrider claims' and backend_start > $1`,
    [since],
  );
  return rows.map((row) => row.query).join('\n');
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
      const since = await databaseTime(database.service);
      running(roles);
      await vi.waitFor(async () => expect(await asked(since)).toContain('stale_workspaces'), {
        timeout: 30_000,
        interval: 20,
      });
    },
  );
});
