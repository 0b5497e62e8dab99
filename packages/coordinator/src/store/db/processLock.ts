import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Another process uses the embedded database. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

type Holder = { readonly pid: number; readonly startedAt: string };

const FILE = 'coordinator.lock';
const heldHere = new Set<string>();

/** When a process began, in the system's own ticks, so that a reused process number is told apart; empty where unknown. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces; the start time is the 20th field behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive({ pid, startedAt }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = startOf(pid);
  return startedAt === '' || now === '' || now === startedAt;
}

function readHolder(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    if (typeof holder.pid === 'number') return { pid: holder.pid, startedAt: holder.startedAt ?? '' };
  } catch {
    // Unreadable: its writer died in the middle of it.
  }
  return undefined;
}

/**
 * Takes the embedded database in `directory` for this process; a second process would destroy it. A lock left by a process that
 * is gone is taken over. Returns what gives it back. Throws `DatabaseInUse`.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, FILE);
  const refuse = (pid: number): never => {
    throw new DatabaseInUse(
      `Another coordinator (process ${pid}) uses the embedded database in ${directory}. Stop it, or give this one its own ` +
        'DATA_DIR, or set DATABASE_URL to a Postgres server that several may share.',
    );
  };
  if (heldHere.has(directory)) refuse(process.pid);
  const content = JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) } satisfies Holder);
  for (;;) {
    try {
      writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readHolder(file);
    if (holder !== undefined && holder.pid !== process.pid && isAlive(holder)) refuse(holder.pid);
    rmSync(file, { force: true });
  }
  heldHere.add(directory);
  return () => {
    heldHere.delete(directory);
    rmSync(file, { force: true });
  };
}
