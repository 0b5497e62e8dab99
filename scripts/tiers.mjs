// The tiers of tests: what each holds, and which programs it needs beside Node. `npm test` is the fast one and needs none; the others
// are npm run test:NAME. docs/internals/tests.md says what belongs where.

/** Trees and dates on which client and program are compared here; `npm run program:agreement` compares as many as it is told. */
const AGREEMENT = ['--trees', '500', '--dates', '20000', '--seed', '1'];

/**
 * In the order in which `npm run test:all` runs them. `projects` are vitest's (vitest.config.ts), `needs` names of PROGRAMS in
 * scripts/services.mjs, `checks` chains of commands that pass or fail as a whole: those of a chain run in turn, the chains beside each other
 * and beside the tests. `records`: whether the logs, metrics, answers and databases that the tests leave are searched for secrets at the
 * end: all four (`whole`), those of them that there are (`part`), or none. `workers`: test files at a time; where they wait more than they
 * reckon, a third and a fourth take what two leave of two cores. `isMeasured`: what runs has the machine to itself.
 */
export const TIERS = {
  fast: {
    needs: [],
    checks: [],
    projects: ['service', 'unit', 'program', 'simulation', 'promises'],
    records: 'whole',
    workers: 4,
  },
  program: {
    needs: ['rust', 'rustWeb'],
    // Those of a stock Rust, and two that build with the pinned one, of which the first waits more than it builds.
    checks: [
      [
        { title: "the program's format and lints", file: 'toolchain/lint.sh' },
        { title: 'the lints refuse a function that is too long', file: 'scripts/check-lint.mjs' },
        { title: "the program's rules that need no ledger", file: 'scripts/run.mjs', args: ['program:rules'] },
        {
          title: 'the client agrees with the program',
          file: 'scripts/run.mjs',
          args: ['program:agreement', ...AGREEMENT],
        },
      ],
      [{ title: 'what adversaries reach', file: 'scripts/run.mjs', args: ['program:adversaries', '--share'] }],
      [{ title: 'the committed program equals its rebuild', file: 'scripts/check-program.mjs' }],
    ],
    projects: [],
    records: 'none',
  },
  e2e: {
    needs: ['valkey', 'chromium', 'tmux', 'zsh', 'fish', 'postgresClient', 'promtool'],
    checks: [],
    projects: ['e2e', 'browser'],
    records: 'whole',
    workers: 3,
  },
  faults: {
    needs: [],
    checks: [[{ title: 'a share of a history under faults', file: 'scripts/run.mjs', args: ['history', '--share'] }]],
    projects: ['faults'],
    records: 'whole',
    workers: 3,
  },
  privacy: { needs: ['postgresClient'], checks: [], projects: ['privacy'], records: 'whole', workers: 3 },
  docs: {
    needs: ['valkey', 'tmux', 'promtool', 'systemd', 'postgresClient'],
    checks: [],
    projects: ['docs', 'deploy'],
    records: 'part',
    workers: 3,
  },
  api: {
    needs: ['valkey', 'schemathesis', 'bankFiles'],
    checks: [
      [{ title: 'a share of the attacks on a running service', file: 'scripts/run.mjs', args: ['attack', '--share'] }],
    ],
    projects: ['api'],
    records: 'whole',
  },
  perf: {
    needs: ['valkey', 'chromium'],
    checks: [
      [
        {
          title: "no ratio's goal is missed by a third",
          file: 'scripts/run.mjs',
          args: ['bench', 'tree', 'poll', '--quick', '--check'],
        },
      ],
    ],
    projects: ['perf'],
    records: 'none',
    isMeasured: true,
  },
};

/** How somebody starts a tier. */
export const commandOf = (tier) => (tier === 'fast' ? 'npm test' : `npm run test:${tier}`);
