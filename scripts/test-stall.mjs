// npm run test:stall -- --seed S [--seeds N]: the tests of `npm test`, in the middle of which one database, base ledger, execution layer or
// page (the coordinator that serves it) stands still for three seconds. The seed says which and when. No test may fail for it.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildBundles } from './bundles.mjs';
import { reportOf } from './promises.mjs';
import { fail, install, root } from './setup.mjs';
import { TIERS } from './tiers.mjs';

const STALL_MS = 3_000;
const LOOK_MS = 100;
/** A stopped process's state in /proc. */
const STOPPED = 'T';
/** How the processes of each kind are known by their command lines. */
const KINDS = {
  database: /\/postgres -D /,
  'base ledger': /baseLedger\/process/,
  'execution layer': /ephemeral-validator.*--storage/,
  page: /coordinator\/dist\/main\.js/,
};
/** Servers that tests freeze themselves, and that must not be woken meanwhile (packages/testing/src/services/postgres.ts). */
const FROZEN_BY_TESTS = /cluster_name=to-be-frozen/;
/** Seconds from the start: where nothing of a kind runs after these, it never does. */
const FIRST_SECONDS = 1;
/** Seconds from the start within which the stall comes, where no earlier run says how long the tests take. */
const USUAL_SECONDS = 180;

const { values } = parseArgs({ options: { seed: { type: 'string' }, seeds: { type: 'string', default: '1' } } });
if (!/^\d+$/.test(values.seed ?? '')) fail('Name a seed: npm run test:stall -- --seed 1.');

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
function numbersOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All processes: their states, their parents and what they were started as. */
function processes() {
  const found = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(join('/proc', name, 'stat'), 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = readFileSync(join('/proc', name, 'cmdline'), 'utf8').replaceAll('\0', ' ');
      if (state !== 'Z') found.set(Number(name), { state, parent: Number(parent), command });
    } catch {
      // Ended meanwhile.
    }
  }
  return found;
}

/** Whether a process is one of a kind, and nobody else's to stop and to wake. */
const mayStall = ({ state, command }, kind) =>
  state !== STOPPED && KINDS[kind].test(command) && !FROZEN_BY_TESTS.test(command);

/** A process and all that it started, itself first. */
function familyOf(pid, all = processes()) {
  const children = [...all].filter(([, { parent }]) => parent === pid).map(([child]) => child);
  return [pid, ...children.flatMap((child) => familyOf(child, all))];
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Ended meanwhile.
    }
  }
}

/** Runs the tests while something of a kind stands still, if any of it runs after that time; whether all passed. */
async function runWithStall({ seed, kind, afterMs, choice }) {
  console.log(
    `\nSeed ${seed}: ${kind} stands still for ${STALL_MS / 1_000} s, ${(afterMs / 1_000).toFixed(1)} s after the start.`,
  );
  const projects = TIERS.fast.projects.flatMap((name) => ['--project', name]);
  const env = { ...process.env, PAYOUTS_TEST_WORKERS: String(TIERS.fast.workers) };
  const tests = spawn('npx', ['vitest', 'run', ...projects], { cwd: root, stdio: 'inherit', env });
  const ended = new Promise((resolve) => tests.on('close', (code) => resolve(code)));
  let isOver = false;
  ended.then(() => (isOver = true));
  await sleep(afterMs);
  let stalled;
  while (!isOver && stalled === undefined) {
    const all = processes();
    const own = new Set(familyOf(tests.pid, all));
    const found = [...all].filter(([pid, process]) => own.has(pid) && mayStall(process, kind));
    const tops = found.filter(([, { parent }]) => !found.some(([pid]) => pid === parent)).map(([pid]) => pid);
    if (tops.length === 0) await sleep(LOOK_MS);
    else stalled = tops[Math.floor(choice * tops.length)];
  }
  if (stalled !== undefined) {
    const family = familyOf(stalled);
    signal(family, 'SIGSTOP');
    await sleep(STALL_MS);
    signal(family, 'SIGCONT');
    console.log(`\nSeed ${seed}: process ${stalled} stood still.`);
  }
  const code = await ended;
  return { hasStalled: stalled !== undefined, hasPassed: code === 0 };
}

/** One stall, as the seed has it: earlier, where the tests took less long than it supposes and nothing of the kind ran any more. */
async function stall(seed) {
  const next = numbersOf(seed);
  const kind = Object.keys(KINDS)[Math.floor(next() * Object.keys(KINDS).length)];
  let afterMs = next() * (reportOf('fast')?.testSeconds ?? USUAL_SECONDS) * 1_000;
  const choice = next();
  for (;;) {
    const { hasStalled, hasPassed } = await runWithStall({ seed, kind, afterMs, choice });
    if (hasStalled || !hasPassed || afterMs < FIRST_SECONDS * 1_000) {
      const result = !hasPassed ? 'failed' : hasStalled ? 'passed' : 'nothing stalled';
      return { seed, kind, 'at (s)': Number((afterMs / 1_000).toFixed(1)), result };
    }
    console.log(`\nSeed ${seed}: no ${kind} ran any more then. Once more, in half the time.`);
    afterMs /= 2;
  }
}

install();
const built = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-b'], { cwd: root, stdio: 'inherit' });
const unbuilt = built.status === 0 ? buildBundles() : 'The packages could not be built.';
if (unbuilt !== undefined) fail(unbuilt);
const rows = [];
for (let turn = 0; turn < Number(values.seeds); turn += 1) rows.push(await stall(Number(values.seed) + turn));
console.table(rows);
const failed = rows.filter(({ result }) => result !== 'passed').length;
console.log(`${rows.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
