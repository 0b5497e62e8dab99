import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Attempt } from './attempt.ts';
import { GUARDS, type GuardName } from './guards.ts';
import { build } from './mutants.ts';
import { plots } from './plots.ts';
import { powers } from './powers.ts';

// npm run program:adversaries -- [--share] [--guard NAME]
const { values } = parseArgs({
  options: { share: { type: 'boolean' }, guard: { type: 'string' }, 'without-guard': { type: 'boolean' } },
});
/** A quick part of the mutants: one for each way in. */
const SHARE: readonly GuardName[] = [
  'employer',
  'recipient',
  'slot of the owner',
  'pinned sender',
  'frozen at the declaration',
];

const attempts = [...powers, ...plots];
const line = ({ role, attempt, bound }: Attempt, reached: string) => `${role} | ${attempt} | ${bound} | ${reached}`;
const isNamed = (name: string): name is GuardName => name in GUARDS;

/** Runs attempts with the program that this process has; how many went otherwise than they must. */
function run(wanted: readonly Attempt[], mayPass: boolean): number {
  let wrong = 0;
  for (const each of wanted) {
    const failure = each.run();
    const isRight = (failure === undefined) === mayPass;
    if (!isRight) wrong += 1;
    console.log(`${isRight ? '  ' : '✖ '}${line(each, failure ?? 'went through')}`);
  }
  return wrong;
}

/** Runs what names a guard with the program that lacks it, where all of it must go through. */
function runWithout(guard: GuardName): boolean {
  const mutant = GUARDS[guard];
  if (mutant === undefined) return true;
  const started = Date.now();
  const program = build(mutant);
  console.log(`without "${guard}" (built in ${Math.round((Date.now() - started) / 1_000)} s)`);
  const words = [...process.execArgv, fileURLToPath(import.meta.url), '--guard', guard, '--without-guard'];
  const env = { ...process.env, PAYOUTS_PROGRAM: program };
  return spawnSync(process.execPath, words, { env, stdio: 'inherit' }).status === 0;
}

const { guard } = values;
if (guard !== undefined && !isNamed(guard)) {
  console.error(`✖ There is no guard "${guard}": ${Object.keys(GUARDS).join(', ')}`);
  process.exit(2);
}
if (values['without-guard']) {
  process.exit(
    run(
      attempts.filter((each) => each.guard === guard),
      true,
    ) === 0
      ? 0
      : 1,
  );
}

const all = (Object.keys(GUARDS) as GuardName[]).filter((name) => GUARDS[name] !== undefined);
const guards = guard !== undefined ? [guard] : values.share ? SHARE : all;
const passed = run(guard === undefined ? attempts : attempts.filter((each) => each.guard === guard), false);
const useless = guards.filter((name) => !runWithout(name));
for (const name of useless)
  console.error(`✖ without "${name}" something is refused all the same: that guard is not what stops it`);
console.log(
  `\n${attempts.length} attempts, ${passed} past their bound; ${guards.length} mutants, ${useless.length} without effect`,
);
process.exit(passed === 0 && useless.length === 0 ? 0 : 1);
