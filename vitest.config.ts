import { defineConfig } from 'vitest/config';
import { ClosingLines } from './test/support/closing-lines.ts';
import { servers } from './test/support/servers.ts';

// Every file of test/db runs on every PostgreSQL that is there: the embedded 18 and Debian's 15.
const onServers = servers.map((server) => ({
  test: {
    name: server.project,
    include: ['test/db/**/*.test.ts'],
    globalSetup: [`test/support/${server.project}.ts`],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
}));

export default defineConfig({
  test: {
    projects: [
      {
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 30_000 },
      },
      {
        test: {
          name: 'sandbox',
          include: ['test/sandbox/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'adapters', include: ['test/adapters/**/*.test.ts'] } },
      { test: { name: 'media', include: ['test/media/**/*.test.ts'] } },
      ...onServers,
      {
        test: {
          // Random texts and documents: one server is enough for what depends on chance.
          name: 'properties',
          include: ['test/properties/**/*.test.ts'],
          globalSetup: ['test/support/pg18.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // What happens outside the database: the version of the server plays no part.
          name: 'services',
          include: ['test/services/**/*.test.ts'],
          globalSetup: ['test/support/pg18.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'outbox',
          include: ['test/outbox/**/*.test.ts'],
          globalSetup: ['test/support/pg18.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/pg18.ts'],
          // Whole systems with processes of their own: one at a time.
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
    ],
    // The servers need the other half of the processor.
    maxWorkers: 2,
    reporters: ['default', new ClosingLines()],
  },
});
