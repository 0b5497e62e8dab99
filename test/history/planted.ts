import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fault } from './nemesis.ts';

/** A text of a file that is there once, and what stands there instead. Files of the coordinator as it is built, or of the program's source. */
type Change = { readonly file: string; readonly from: string; readonly to: string };

/** A mistake that is planted into copies of the product. */
export type Planted = {
  /** What it does, for people. */
  readonly about: string;
  readonly coordinator?: readonly Change[];
  readonly program?: readonly Change[];
  /** What is done to the system meanwhile; left out: everything. */
  readonly faults?: readonly Fault[];
};

const LATER = 'new Promise((resolve) => setTimeout(resolve, 2_000))';

const change = (file: string, from: string, to: string): Change => ({ file, from, to });

export const PLANTED = {
  'confirmed-is-final': {
    about: 'a run is told to be settled when that is confirmed, not final',
    coordinator: [
      change(
        'ledger/probe.js',
        "base.accounts([at.schedule, at.batch], 'finalized')",
        "base.accounts([at.schedule, at.batch], 'confirmed')",
      ),
    ],
  },
  'registered-before-kept': {
    about: 'a registration is answered before it is kept',
    coordinator: [
      change(
        'http/registration.js',
        'return store(input, source, { seen, list, tree, use });',
        `${LATER}.then(() => store(input, source, { seen, list, tree, use })).catch(() => {});
    return { root, status: CREATED, isReplay: false };`,
      ),
    ],
  },
  'unknown-is-success': {
    about: 'a registration of which the database has not said what became of it counts as kept',
    coordinator: [
      change(
        'http/registration.js',
        'return store(input, source, { seen, list, tree, use });',
        'return store(input, source, { seen, list, tree, use }).catch(() => ({ root, status: REPEATED, isReplay: false }));',
      ),
    ],
  },
  'new-twice': {
    about: 'a list that was registered before is answered as new',
    coordinator: [
      change('http/registration.js', 'const status = isNew ? CREATED : REPEATED;', 'const status = CREATED;'),
    ],
  },
  'stale-runs': {
    about: "a process answers with a schedule's runs as it has shown them up to five seconds before",
    coordinator: [
      change(
        'http/routes/listExecutions.js',
        'export function listExecutionsRoute(app, database) {',
        'export function listExecutionsRoute(app, database) {\n    const shown = new Map();',
      ),
      change(
        'http/routes/listExecutions.js',
        'const { before, limit } = windowPage(request.query);',
        `const { before, limit } = windowPage(request.query);
        const former = shown.get(request.url);
        if (former !== undefined && performance.now() - former.at < 5_000) return former.answer;`,
      ),
      change(
        'http/routes/listExecutions.js',
        'return { executions: page.map((run) => runView(run, attempts)), nextCursor };',
        `const answer = { executions: page.map((run) => runView(run, attempts)), nextCursor };
        shown.set(request.url, { answer, at: performance.now() });
        return answer;`,
      ),
    ],
  },
  'stale-balances': {
    about: 'a process answers with balances as it has shown them up to five seconds before',
    coordinator: [
      change(
        'http/routes/readBalances.js',
        "const path = '/api/recipients/:address/balances';",
        "const path = '/api/recipients/:address/balances';\n    const shown = new Map();",
      ),
      change(
        'http/routes/readBalances.js',
        'const own = await ownBalances(input, recipient, entries);',
        `const own = await ownBalances(input, recipient, entries);
        const former = shown.get(recipient);
        const isFresh = former !== undefined && performance.now() - former.at < 5_000;
        const views = isFresh ? former.views : await balanceViews(input, own);
        if (!isFresh) shown.set(recipient, { views, at: performance.now() });`,
      ),
      change('http/routes/readBalances.js', 'balances: await balanceViews(input, own),', 'balances: views,'),
    ],
  },
  'cursor-back': {
    about: 'a further page of runs begins with the last one of the page before',
    coordinator: [change('http/windowPage.js', 'BigInt(cursor.slice(1)),', 'BigInt(cursor.slice(1)) + 1n,')],
  },
  'not-taken-over': {
    about: 'nobody takes over the runs of a process that died',
    coordinator: [
      change(
        'store/queries/jobs.js',
        'export async function returnJobs(database, executors) {',
        'export async function returnJobs() {\n    return 0;\n}\nexport async function neverCalled(database, executors) {',
      ),
    ],
    faults: ['kill'],
  },
  'lease-ignored': {
    about: 'the runs of a process are taken over while it has its lease',
    coordinator: [
      change(
        'store/queries/leases.js',
        ".where('expires_at', '<', sql `clock_timestamp()`)",
        ".where('expires_at', '<', sql `clock_timestamp() + interval '4 seconds'`)",
      ),
    ],
    faults: [],
  },
  'superseded-writes': {
    about: 'a process whose run another one has taken over records how its own try ended',
    coordinator: [
      change(
        'store/queries/attempts.js',
        "where attempt.id = before.attempt_id and attempt.outcome = 'running'",
        'where attempt.id = before.attempt_id',
      ),
    ],
    faults: ['pause'],
  },
  'run-again': {
    about: 'a window that two processes find due is put in line twice',
    coordinator: [
      change(
        'store/queries/runs.js',
        'on conflict (schedule, window_number) do nothing',
        "on conflict (schedule, window_number) do update set state = 'queued', created_at = excluded.created_at",
      ),
    ],
  },
  'wrong-sum': {
    about: 'a window in which somebody was held back is told to have paid everything',
    coordinator: [
      change('runs/stages/commit.js', 'paidAmount: schedule.lastPaidAmount', 'paidAmount: schedule.amount'),
    ],
  },
  'held-as-paid': {
    about: 'the receipt of somebody who was held back says that they were paid',
    coordinator: [
      change(
        'store/crypto/paymentRecord.js',
        'isBitSet(bitmap, index) && !held.includes(index)',
        'isBitSet(bitmap, index) || held.includes(index)',
      ),
    ],
  },
  'withdrawn-before-sent': {
    about: 'a withdrawal is answered as executed before the layer has been told of it',
    coordinator: [
      change(
        'http/recipients/relay.js',
        'if (await isExecuted())\n        return false;\n    const answer = await layer.send(wire);',
        `if (await isExecuted())
        return false;
    if (!use.opens) {
        ${LATER}.then(() => layer.send(wire)).catch(() => {});
        return true;
    }
    const answer = await layer.send(wire);`,
      ),
      change(
        'http/recipients/relay.js',
        'export async function relay({ layer, time, draining }, { wire, signature }) {',
        'export async function relay({ layer, time, draining }, { wire, signature, use }) {',
      ),
    ],
  },
  'early-opening': {
    about: 'the ledger opens windows before they are due, and coordinators ask for it',
    coordinator: [
      change('runs/poller.js', 'clock.now() + AHEAD : clock.now() - BEHIND', 'clock.now() + 60n : clock.now() + 60n'),
      change(
        'runs/reader.js',
        'dueWindow(termsOf(schedule), clock.now())',
        'dueWindow(termsOf(schedule), clock.now() + 60n)',
      ),
    ],
    program: [
      change('instructions/delegate_schedule.rs', 'if now < schedule.due_at() {', 'if now < schedule.due_at() - 60 {'),
    ],
  },
  'credited-twice': {
    about: 'a claim credits a balance with twice the amount',
    program: [
      change(
        'instructions/claim_payment.rs',
        'amount::add(&mut slot.amount, payment)?;',
        'amount::add(&mut slot.amount, payment)?;\n    amount::add(&mut slot.amount, payment)?;',
      ),
    ],
  },
  'rest-kept': {
    about: 'what a window has not paid stays in the pool, where its vault should have it back',
    program: [change('instructions/settle.rs', 'if returned > 0 {', 'if returned > u64::from(u32::MAX) {')],
  },
} as const satisfies Readonly<Record<string, Planted>>;
export type PlantedName = keyof typeof PLANTED;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Where the coordinator is as it is built, and the program's source. */
const COORDINATOR = join(root, 'packages', 'coordinator');
const PROGRAM = join(root, 'program');

/** The texts of a planted bug that are not in the product exactly once: it has changed since, and the bug must. */
export const misplaced = ({ coordinator = [], program = [] }: Planted): Change[] => [
  ...coordinator.filter(({ file, from }) => timesIn(join(COORDINATOR, 'dist', file), from) !== 1),
  ...program.filter(({ file, from }) => timesIn(join(PROGRAM, 'src', file), from) !== 1),
];

const timesIn = (file: string, text: string): number => readFileSync(file, 'utf8').split(text).length - 1;

function alter(folder: string, changes: readonly Change[]): void {
  for (const { file, from, to } of changes) {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    );
  }
}

/**
 * Has the coordinators of this process run from a copy with the bug in it. Throws where its place is not there any more.
 *
 * @returns what makes the ledger program's file, where the bug is in there; it takes the pinned Rust
 */
export function plant(planted: Planted): ((folder: string) => Promise<string>) | undefined {
  const { coordinator, program } = planted;
  for (const { file, from } of misplaced(planted)) throw new Error(`${file} has this not once: ${from}`);
  const folder = mkdtempSync(join(tmpdir(), 'payouts-planted-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['node_modules', '.toolchain']) symlinkSync(join(root, name), join(folder, name));
  if (coordinator !== undefined) {
    const copy = join(folder, 'packages', 'coordinator');
    mkdirSync(copy, { recursive: true });
    for (const part of ['dist', 'migrations', 'package.json'])
      cpSync(join(COORDINATOR, part), join(copy, part), { recursive: true });
    alter(join(copy, 'dist'), coordinator);
    process.env.PAYOUTS_COORDINATOR = join(copy, 'dist', 'main.js');
  }
  if (program === undefined) return undefined;
  const crate = join(folder, 'program');
  cpSync(PROGRAM, crate, { recursive: true, filter: (path) => !path.endsWith('/target') });
  alter(join(crate, 'src'), program);
  // What the program is built on is built once for all of them.
  const built = join(root, '.toolchain', 'planted');
  mkdirSync(built, { recursive: true });
  symlinkSync(built, join(crate, 'target'));
  return async (made) => {
    const file = join(made, 'payouts.so');
    execFileSync(join(root, 'toolchain', 'build.sh'), [file, crate], { stdio: ['ignore', 'ignore', 'inherit'] });
    return file;
  };
}
