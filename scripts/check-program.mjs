// npm run check:program: the committed program/payouts.so and the tests' doubles of two other programs must equal a rebuild from
// source, and load strictly; the programs of others must be those that were published. Exit 0: equal. 1: different or refused. 3: the pinned toolchain is not here, so nothing was compared.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from './setup.mjs';

const hash = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const folder = mkdtempSync(join(tmpdir(), 'payouts-program-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Rebuilds a program from its crate and compares it with the committed file. */
function check(file, crate) {
  const committed = join(root, file);
  const rebuilt = join(folder, basename(file));
  const build = spawnSync(join(root, 'toolchain', 'build.sh'), [rebuilt, join(root, crate)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (build.status === 3) {
    console.log(`not compared: ${build.stderr.trim()}`);
    process.exit(3);
  }
  if (build.status !== 0) {
    console.error(build.stderr);
    console.error(`✖ ${crate} does not build: fix the errors above.`);
    process.exit(1);
  }
  if (hash(committed) !== hash(rebuilt)) {
    console.error(`✖ ${file} (${hash(committed)}) is not what the source builds (${hash(rebuilt)}).`);
    console.error(`  Run \`toolchain/build.sh ${file} ${crate}\` and commit the result.`);
    process.exit(1);
  }
  const verify = spawnSync(
    '/usr/bin/cargo',
    [
      'run',
      '--quiet',
      '--release',
      '--locked',
      '--target-dir',
      join(root, '.toolchain', 'sbpf', 'verify'),
      '--',
      committed,
    ],
    { cwd: join(root, 'toolchain', 'verify'), stdio: 'inherit', env: { ...process.env, RUSTC: '/usr/bin/rustc' } },
  );
  if (verify.status !== 0) {
    console.error(`✖ ${file} does not load strictly.`);
    process.exit(1);
  }
  console.log(`${file} equals its rebuild: ${hash(committed)}`);
}

check('program/payouts.so', 'program');
check('test/program/magic-program.so', 'test/program/magic-program');
check('test/program/treasury-program.so', 'test/program/treasury-program');

/** Programs of others, which nobody can rebuild here: test/program/published/README.md says where they are from. */
const published = join(root, 'test/program/published');
for (const line of readFileSync(join(published, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
  const [sum, file = ''] = line.split(/ +/);
  if (hash(join(published, file)) !== sum) {
    console.error(`✖ test/program/published/${file} is not what its maker published: restore the committed file.`);
    process.exit(1);
  }
  console.log(`test/program/published/${file} is the published one: ${sum}`);
}
