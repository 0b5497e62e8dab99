import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take two minutes and more, longest first: begun last, one of them would go on alone for that long. */
const LONGEST = [
  'test/faults/rpc-errors',
  'test/docs/commands',
  'test/privacy/spy',
  'test/faults/crash-matrix',
  'test/e2e/backup-command',
  'test/api/schemathesis',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) =>
      LONGEST.findIndex((file) => moduleId.includes(`/${file}.test.`));
    const long = others.filter((file) => placeOf(file) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
    return [...long, ...others.filter((file) => !long.includes(file))];
  }
}

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
    sequence: { sequencer: LongestFirst },
  },
});
