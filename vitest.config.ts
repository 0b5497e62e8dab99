import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Workspace packages run from their sources, so a test never sees a stale build.
  resolve: { conditions: ['@payouts/source'] },
  ssr: { resolve: { conditions: ['@payouts/source', 'node', 'default'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/support/recordAnswers.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two files at a time: each may run a ledger and a validator of its own.
    maxWorkers: 2,
  },
});
