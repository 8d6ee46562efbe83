import { defineConfig } from 'vitest/config';
import { ClosingLines } from './test/support/runner/closing-lines.ts';
import { onNewestOnly, servers } from './test/support/runner/servers.ts';

// How long it takes is nobody's assertion: these limits end a test that hangs, on a machine that is busy with other things.
const patient = { testTimeout: 180_000, hookTimeout: 240_000 };
const onOneServer = { ...patient, globalSetup: ['test/support/runner/pg18.ts'] };

// The files of test/db run on every PostgreSQL that is there: the embedded 18 and, but for some of them, Debian's 15.
const onServers = servers.map((server, n) => ({
  extends: true as const,
  test: {
    ...patient,
    name: server.project,
    include: ['test/db/**/*.test.ts'],
    exclude: n === 0 ? [] : [...onNewestOnly],
    globalSetup: [`test/support/runner/${server.project}.ts`],
  },
}));

/** All the files of one folder. */
function folder(name: string, settings: object) {
  return {
    extends: true as const,
    test: { name, include: [`test/${name}/**/*.test.ts`], ...settings },
  };
}

export default defineConfig({
  test: {
    projects: [
      folder('unit', patient),
      folder('sandbox', patient),
      folder('adapters', patient),
      folder('http', patient),
      folder('media', patient),
      ...onServers,
      // Random texts and documents: one server is enough for what depends on chance.
      folder('properties', onOneServer),
      // What happens outside the database: the version of the server plays no part.
      folder('services', onOneServer),
      folder('monitor', onOneServer),
      folder('pull', onOneServer),
      folder('outbox', { ...onOneServer, testTimeout: 120_000 }),
      // Whole systems with processes of their own, when all else is over: fewer at a time.
      folder('e2e', {
        ...onOneServer,
        testTimeout: 300_000,
        hookTimeout: 300_000,
        maxWorkers: 3,
        sequence: { groupOrder: 1 },
      }),
    ],
    // Instead of a second, which is an assertion of speed.
    expect: { poll: { timeout: 60_000 } },
    // Files share their worker and the modules that it has loaded: each puts back what it changes of the process.
    pool: 'threads',
    isolate: false,
    // Two more than the processors that we count on: many tests wait for a server, a child or a limit of time.
    maxWorkers: 4,
    reporters: ['default', new ClosingLines()],
  },
});
