import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, longest first: begun last, one of them would go on alone for that long. */
const LONGEST = [
  'rpc-errors',
  'spy',
  'devnet',
  'commands',
  'spy-without-salts',
  'schemathesis',
  'backup-command',
  'cluster-commands',
  'employer-actions',
  'recipient',
  'attestation',
  'dockerfile',
  'start',
  'liabilityRecorder',
  'key-rotation',
  'withdrawals',
  'crash-matrix',
  'exit-mixing',
  'operators-runs',
  'read-permissions',
  'config-check',
  'reconcile',
  'clock-skew',
  'cluster-habits',
  'operators-embedded',
  'leases',
  'watchers',
  'treasury',
  'funding-forecast',
  'rounds',
  'blocked-recipient',
  'shared-token',
  'forged-payout',
  'public',
  'simulation',
  'fuzz',
];

/** Project by project, since a process that loads what one of them imports serves its files alone; in each, the longest first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projectOf = ({ project }: TestSpecification) => this.ctx.projects.indexOf(project);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return place < 0 ? LONGEST.length : place;
    };
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => projectOf(a) - projectOf(b) || placeOf(a) - placeOf(b));
  }
}

const MINUTE = 60_000;
/** What plays whole stories takes longer. */
const ON_REAL_PARTS = { testTimeout: 5 * MINUTE, hookTimeout: 5 * MINUTE };
/** For those that are not about a database or ledger that stands still. */
const PATIENT = { setupFiles: ['packages/testing/src/patientFetch.ts'] };

/** Tests that belong together; scripts/tiers.mjs says which tier runs which. */
const project = (
  name: string,
  include: readonly string[],
  more: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [...include], ...more },
});

const filesOf = (name: string) => [`test/${name}/**/*.test.ts`, `packages/*/test/${name}/*.test.ts`];

export default defineConfig({
  // Workspace packages run from their sources, so a test never sees a stale build.
  resolve: { conditions: ['@payouts/source'] },
  ssr: { resolve: { conditions: ['@payouts/source', 'node', 'default'] } },
  test: {
    // What is unchanged is not compiled again by the next run, or by the gate's next tier.
    experimental: { fsModuleCache: true },
    globalSetup: ['packages/testing/src/globalBuild.ts', 'packages/testing/src/globalShared.ts'],
    setupFiles: ['recordAnswers', 'fixedSeeds', 'endRunning'].map((name) => `packages/testing/src/${name}.ts`),
    sequence: { sequencer: LongestFirst },
    // Megabytes for young objects, so that the collector runs less often.
    execArgv: ['--max-semi-space-size=64'],
    // scripts/tiers.mjs says how many a tier has.
    maxWorkers: Number(process.env.PAYOUTS_TEST_WORKERS ?? 2),
    // No test takes as long on a machine that has nothing else to do; beside others, a coordinator's start alone can take half a minute.
    testTimeout: 3 * MINUTE,
    hookTimeout: 3 * MINUTE,
    // What is waited for comes at once; a second is too short beside others.
    expect: { poll: { timeout: MINUTE / 2 } },
    projects: [
      // Without isolation what one file has loaded serves the next of its process: nothing that these import keeps anything of a file.
      project('service', ['packages/coordinator/test/*.test.ts'], { isolate: false }),
      project('program', ['test/program/**/*.test.ts'], {
        isolate: false,
        setupFiles: ['packages/testing/src/litesvm/letGo.ts'],
      }),
      project('simulation', ['packages/coordinator/test/simulation/*.test.ts']),
      project('promises', ['test/promises/*.test.ts'], { isolate: false, ...PATIENT }),
      project('unit', ['packages/!(coordinator)/test/*.test.ts', 'test/{bench,history,lint}/*.test.ts'], {
        isolate: false,
      }),
      ...['e2e', 'api'].map((name) => project(name, filesOf(name), { isolate: false, ...ON_REAL_PARTS, ...PATIENT })),
      ...['faults', 'privacy', 'docs', 'deploy'].map((name) =>
        project(name, filesOf(name), { isolate: false, ...ON_REAL_PARTS }),
      ),
      project('perf', filesOf('perf'), ON_REAL_PARTS),
      // After the others of its tier, and not more than two at a time: what a page takes is measured by the clock.
      project('browser', filesOf('browser'), { ...ON_REAL_PARTS, maxWorkers: 2, sequence: { groupOrder: 1 } }),
    ],
  },
});
