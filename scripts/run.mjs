// npm start, npm run NAME [-- OPTIONS]: the repository's commands, what each needs first, and the file that it runs with the options.
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildBundles, COMMAND, PAGES, SERVICE } from './bundles.mjs';
import { provideServices } from './services.mjs';
import { bin, fail, install, root, run, serve, tsx, typescript } from './setup.mjs';

const args = process.argv.slice(3);
const images = join(root, 'docs/images');
const pictures = join(root, '.test/pictures');
/** The program's rules as a crate for this machine. */
const rules = join(root, '.toolchain/rules');
const crate = [
  '--quiet',
  '--locked',
  '--manifest-path',
  join(root, 'test/program/rules/Cargo.toml'),
  '--target-dir',
  rules,
];

const built = (command, words) =>
  run(command, words) === 0
    ? undefined
    : 'The lines above say why this could not be built: fix that and run the command again.';

/** What is built before a command runs; each returns a sentence when it can't be. */
const BUILDERS = {
  page: () => buildBundles(PAGES),
  payout: () => buildBundles(['cli']),
  service: () => buildBundles(['coordinator']),
  // What is measured is what is deployed. tsx adds a fifth to what a window takes of the processor.
  packages: () => built(bin('tsc'), ['-b', 'packages/coordinator/test/children', 'packages/cli', 'packages/testing']),
  agreement: () => built('cargo', ['build', '--release', '--bin', 'agreement', ...crate]),
};

/**
 * `builds`: of BUILDERS. `needs`: of PROGRAMS in services.mjs. Then one of: `file` in TypeScript, run from its source; `tests` for vitest;
 * `program` with `args`. `isBuilt`: it runs packages as they were built. `isService`: it runs until it is told to end. `isAtCaller`: paths among the options are those of whoever calls.
 */
export const COMMANDS = {
  start: { builds: ['service', 'page'], file: 'packages/sandbox/src/start.ts', isService: true },
  // The service alone serves the page; the operators' commands do without.
  coordinator: {
    builds: args.length === 0 ? ['service', 'page'] : ['service'],
    program: process.execPath,
    args: [SERVICE],
    isService: true,
  },
  payout: { builds: ['payout'], program: process.execPath, args: [COMMAND], isAtCaller: true },
  wallet: { file: 'packages/sandbox/src/wallet.ts', isAtCaller: true },
  localnet: { file: 'packages/localnet/src/cli.ts', isService: true },
  bench: { builds: ['packages', 'service', 'page'], file: 'bench/main.ts', isBuilt: true },
  'bench:against': {
    builds: ['packages', 'service', 'page'],
    file: 'bench/against.ts',
    isBuilt: true,
    isAtCaller: true,
  },
  simulate: { file: 'packages/coordinator/test/simulation/cli.ts' },
  faults: { builds: ['service'], file: 'test/faults/matrix/cli.ts' },
  withdrawals: { builds: ['service'], file: 'test/faults/withdrawals/cli.ts' },
  history: { builds: ['packages', 'service'], file: 'test/history/main.ts', isBuilt: true },
  spy: { builds: ['service'], file: 'test/privacy/spy/run.ts' },
  attack: { needs: ['valkey'], builds: ['packages', 'service'], file: 'test/attack/cli.ts', isBuilt: true },
  'exit:simulate': { file: 'test/privacy/exit/cli.ts' },
  'privacy:scan': { file: 'test/privacy/scan/run.ts' },
  'program:adversaries': { needs: ['rustWeb'], file: 'test/program/adversaries/cli.ts' },
  'program:fuzz': { file: 'test/program/fuzz/cli.ts' },
  'program:negatives': { file: 'test/program/negatives/run.ts' },
  'program:rules': { needs: ['rust'], program: 'cargo', args: ['test', ...crate] },
  'program:agreement': {
    needs: ['rust'],
    builds: ['agreement'],
    file: 'test/program/agreement.ts',
    args: ['--binary', join(rules, 'release/agreement')],
  },
  habits: { builds: ['packages', 'payout'], tests: 'test/e2e/cluster-', env: { PAYOUTS_TEST_WHOLE: 'yes' } },
  story: { needs: ['tmux'], tests: 'test/e2e/terminal-story.test.ts', env: { STORY_FOLDER: images } },
  'page:pictures': {
    builds: ['page'],
    needs: ['chromium'],
    tests: 'test/browser/month.test.ts',
    env: { PAYOUTS_TEST_PICTURES: pictures },
    after: renewPictures,
  },
};

/** Of all the pictures that the tests make, with the text in each, the documents keep those that they have. */
function renewPictures() {
  for (const name of readdirSync(images)) {
    if (existsSync(join(pictures, name))) copyFileSync(join(pictures, name), join(images, name));
  }
}

/** Runs one of them; returns its exit code. */
async function execute({ builds = [], needs = [], file, tests, program, args: first = [], env, ...how }) {
  install();
  const missing = provideServices(needs);
  if (missing.length > 0) fail(missing.join('\n'));
  for (const name of builds) {
    const sentence = BUILDERS[name]();
    if (sentence !== undefined) fail(sentence);
  }
  if (tests !== undefined) return run(join(root, 'node_modules/.bin/vitest'), ['run', tests, ...args], env);
  const source = file === undefined ? [] : [...(how.isBuilt ? tsx() : typescript()), join(root, file)];
  const [command, words] = [program ?? process.execPath, [...source, ...first, ...args]];
  if (how.isService) return serve(command, words);
  return run(command, words, {}, how.isAtCaller ? process.env.INIT_CWD : root);
}

// Tests of the documents import the table.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const command = COMMANDS[process.argv[2]];
  if (command === undefined) fail(`There is no command ${process.argv[2]}: package.json names them.`);
  const code = await execute(command);
  command.after?.();
  process.exit(code);
}
