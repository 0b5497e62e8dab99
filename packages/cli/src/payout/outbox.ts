import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type BaseConnection,
  type DoneBefore,
  type KeptTransactions,
  keptFromText,
  keptToText,
  type Outbox,
  type OutboxTransaction,
  outboxOver,
  settleOrphans,
  type Time,
} from '@payouts/client';
import { wordsOf } from './commandLine.ts';
import { Failure } from './failure.ts';
import { tell } from './output.ts';
import { replaceFile } from './replaceFile.ts';

/** Where a command keeps what the next one must know of. */
export const outboxFolder = (): string => resolve(process.env.PAYOUT_OUTBOX || join(homedir(), '.payouts', 'sent'));
const SUFFIX = '.json';
const fileOf = (signature: string): string => join(outboxFolder(), `${signature}${SUFFIX}`);
/** Milliseconds within which a command ends by itself, its questions answered: later its process is another one of that number. */
const UNDER_WAY_MS = 600_000;

/** Whether a process of this number runs. */
function isRunning(number: number): boolean {
  try {
    return process.kill(number, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A file's transaction and the process that was about to send it. */
type Kept = { readonly kept: string; readonly process: number };

/** What a file keeps; undefined if it is gone, or its command is still at work. */
async function readOrphan(file: string, now: number): Promise<OutboxTransaction | undefined> {
  try {
    const { kept, process: sender } = JSON.parse(await readFile(file, 'utf8')) as Kept;
    const isRecent = now - (await stat(file)).mtimeMs < UNDER_WAY_MS;
    const isUnderWay = isRecent && sender !== process.pid && isRunning(sender);
    return isUnderWay ? undefined : keptFromText(kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A folder of the user's. What stands there is public: it is what the ledger gets. */
const inFolder = (time: Pick<Time, 'now'>): KeptTransactions => ({
  async put(kept) {
    await mkdir(outboxFolder(), { recursive: true, mode: 0o700 });
    const content: Kept = { kept: keptToText(kept), process: process.pid };
    await replaceFile(fileOf(kept.signature), JSON.stringify(content));
  },
  drop: (signature) => rm(fileOf(signature), { force: true }),
  async orphans() {
    const files = (await readdir(outboxFolder()).catch((): string[] => [])).filter((name) => name.endsWith(SUFFIX));
    const found: OutboxTransaction[] = [];
    for (const name of files) {
      const orphan = await readOrphan(join(outboxFolder(), name), time.now());
      if (orphan !== undefined) found.push(orphan);
    }
    return found;
  },
});

/** Keeps what a command sends until its end is known. */
export const outboxOf = (ledgers: Pick<BaseConnection, 'base' | 'time'>, command: string): Outbox =>
  outboxOver(inFolder(ledgers.time), ledgers, command);

/**
 * Asks the ledger about what former commands have sent whose end they did not see, and tells it; sends it again while the ledger takes it.
 * Returns one of them that was the same command and got through. Throws `Failure` transaction-unknown; done-otherwise, once, where one got
 * through that had the same words and other files.
 */
export async function settleEarlier(ledgers: BaseConnection, command: string): Promise<DoneBefore | undefined> {
  let other: OutboxTransaction | undefined;
  const done = await settleOrphans(ledgers, inFolder(ledgers.time), command, {
    onFound: ({ signature }) =>
      tell(`An earlier command did not learn what became of its transaction:\n  ${signature}`),
    onEnd: (orphan, end, isSame) => {
      const { signature, about, action } = orphan;
      if (end === 'unknown') {
        throw new Failure(
          'transaction-unknown',
          `The ledger does not say what became of ${signature}. Try again later, or with another --rpc that keeps history; if you know it, remove ${fileOf(signature)}`,
        );
      }
      const isDone = end === 'landed';
      tell(isDone ? 'It is on the ledger.' : 'It changed nothing.');
      if (isDone && !isSame && about !== undefined) tell(`Unless that is done: payout schedule register ${about}`);
      if (isDone && !isSame && orphan.isWhole && wordsOf(action) === wordsOf(command)) other = orphan;
    },
  });
  if (other === undefined) return done;
  const { signature, about } = other;
  const what = about === undefined ? '' : `, for ${about}`;
  throw new Failure(
    'done-otherwise',
    `The same words were given before, when a file or key that they name was another one. That was done by ${signature}${what}. If this is to be done as well, repeat the command.`,
  );
}
