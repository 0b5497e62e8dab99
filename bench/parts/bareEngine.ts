// The engine that runs were on at a former commit, with nothing around it: what a machine's processor and disk allow a durable queue of that kind.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Postgres } from '@payouts/testing/services';
import { measureProcessors } from '../processes.ts';
import type { CountingServer } from './counting.ts';

/** The commit whose engine is the limit: DBOS, each workflow of three steps that do nothing. */
export const COMMIT = 'fd8796e';
/** As that commit's service set it: workflows at a time in a process, and milliseconds between two looks at the queue. */
const AT_A_TIME = 32;
const QUEUE_LOOK_MS = 200;
const LOOK_MS = 100;
const LONGEST_MS = 600_000;

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const home = join(checkout, 'node_modules/.cache/bench', COMMIT);
/** Of the coordinator's packages then, those that its engine and its tables need. */
const PACKAGES = ['@dbos-inc/dbos-sdk', '@electric-sql/pglite', 'kysely', 'pg'];

function must(what: string, { status, stderr }: { readonly status: number | null; readonly stderr: Buffer }): void {
  if (status !== 0) throw new Error(`${what}: ${stderr.toString().trim()}`);
}

/** The former coordinator's folder, with what its engine needs installed; made once in a clone. */
function provideCoordinator(): string {
  const coordinator = join(home, 'packages/coordinator');
  if (existsSync(home)) return coordinator;
  const archive = spawnSync('git', ['archive', COMMIT, 'packages/coordinator'], { cwd: checkout, maxBuffer: 1 << 28 });
  const sentence = `This clone's history does not reach back to ${COMMIT}, whose engine is the limit (git fetch --unshallow)`;
  must(sentence, archive);
  const made = `${home}.made`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  must('Its files could not be unpacked', spawnSync('tar', ['-x'], { cwd: made, input: archive.stdout }));
  const listed = JSON.parse(readFileSync(join(made, 'packages/coordinator/package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const dependencies = Object.fromEntries(PACKAGES.map((name) => [name, listed.dependencies[name]]));
  writeFileSync(join(made, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  must('Its packages could not be installed', spawnSync('npm', install, { cwd: made }));
  renameSync(made, home);
  return coordinator;
}

/** What is used of that commit's store. */
type FormerStore = {
  openDatabase(input: object): Promise<{ close(): Promise<void> }>;
  prepareDatabase(database: object, databaseUrl: string): Promise<unknown>;
};

/** A database with the tables of that commit. */
async function createTables(postgres: Postgres, coordinator: string): Promise<string> {
  const load = (file: string) =>
    import(pathToFileURL(join(coordinator, 'src/store', file)).href) as Promise<FormerStore>;
  const databaseUrl = await postgres.createDatabase();
  const { openDatabase } = await load('openDatabase.ts');
  const { prepareDatabase } = await load('prepare.ts');
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl);
  await database.close();
  return databaseUrl;
}

/** Workflows a second, and milliseconds of processor time of each: the engine's and the database's. */
export type BareRound = { readonly rate: number; readonly processorMs: number };

/** Has so many processes end so many workflows that are put in line at once; round after round, of which the first ones warm them up. */
export async function measureBareEngine(
  { postgres, pid }: CountingServer,
  { workflows, processes, rounds }: { readonly workflows: number; readonly processes: number; readonly rounds: number },
): Promise<BareRound[]> {
  const coordinator = provideCoordinator();
  const databaseUrl = await createTables(postgres, coordinator);
  const children: ChildProcess[] = [];
  try {
    for (let number = 1; number <= processes; number++) {
      const words = [`bare-${number}`, String(AT_A_TIME), String(QUEUE_LOOK_MS)];
      const env = { ...process.env, DATABASE_URL: databaseUrl };
      children.push(fork(join(coordinator, 'test/children/bareEngine.ts'), words, { env }));
    }
    await Promise.all(children.map((one) => once(one, 'message')));
    const measured: BareRound[] = [];
    for (let round = 0; round < rounds; round++) {
      const used = measureProcessors({ all: [pid, ...children.map((child) => child.pid as number)] });
      const began = Date.now();
      children[0]?.send({ round, workflows });
      const ended = await endOf(postgres, databaseUrl, { round, workflows });
      const [seconds, processorMs] = [(ended - began) / 1_000, (used().all * 1_000) / workflows];
      measured.push({ rate: workflows / seconds, processorMs });
    }
    return measured;
  } finally {
    for (const one of children) one.kill('SIGKILL');
  }
}

/** Waits for the end of a round's workflows; to the instant of the last one's, unix milliseconds. */
async function endOf(
  postgres: Postgres,
  databaseUrl: string,
  { round, workflows }: { readonly round: number; readonly workflows: number },
): Promise<number> {
  const latest = Date.now() + LONGEST_MS;
  const query = `select count(*) as ended, max(updated_at) as last from dbos.workflow_status
    where status = 'SUCCESS' and workflow_uuid like 'bare:${round}:%'`;
  for (;;) {
    const [row] = await postgres.rows(databaseUrl, query);
    if (Number(row?.ended) === workflows) return Number(row?.last);
    if (Date.now() > latest) throw new Error(`${row?.ended} of ${workflows} workflows have ended.`);
    await sleep(LOOK_MS);
  }
}
