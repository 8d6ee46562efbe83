import { defineConfig } from 'vitest/config';

// A real n8n, which takes long to install: make test-n8n runs this, make test does not.
export default defineConfig({
  test: {
    include: ['test/n8n/**/*.test.ts'],
    globalSetup: ['test/support/runner/n8n.ts'],
    // How long it takes is nobody's assertion: these limits end a test that hangs, on a machine that is busy with other things.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    // One n8n at a time: it takes a processor and half a gigabyte.
    fileParallelism: false,
    pool: 'threads',
  },
});
