import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BaseConnection, type KeptBytes, type Outbox, settleKept } from '@payouts/client';
import type { Signature } from '@solana/kit';
import { Failure } from './failure.ts';
import { tell } from './output.ts';

/** A transaction that a command was about to send, as its file has it. */
type Entry = Omit<KeptBytes, 'lastValidBlockHeight' | 'about'> & {
  readonly lastValidBlockHeight: string;
  readonly about: string | null;
  /** The ledger, by the hash of its first block. */
  readonly ledger: string;
  /** The command, by a hash of its words, and the process that it runs in. */
  readonly command: string;
  readonly process: number;
};

/** A command was given again whose transaction is on the ledger, though its end was not seen then: there is nothing to send. */
export class DoneBefore extends Error {
  override readonly name = 'DoneBefore';

  constructor(
    readonly signature: Signature,
    /** What the first one has noted of it. */
    readonly about: string | undefined,
  ) {
    super(`The transaction ${signature} is on the ledger.`);
  }
}

const folder = (): string => resolve(process.env.PAYOUT_OUTBOX || join(homedir(), '.payouts', 'sent'));
const SUFFIX = '.json';
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

/** What a file keeps; undefined if it is gone, or its command is still at work. */
async function readEntry(file: string, now: number): Promise<Entry | undefined> {
  try {
    const entry = JSON.parse(await readFile(file, 'utf8')) as Entry;
    const isRecent = now - (await stat(file)).mtimeMs < UNDER_WAY_MS;
    const isUnderWay = isRecent && entry.process !== process.pid && isRunning(entry.process);
    return isUnderWay ? undefined : entry;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const ledgerOf = ({ base }: Pick<BaseConnection, 'base'>): Promise<string> => base.getGenesisHash().send();

/**
 * Keeps what a command sends in a folder of its user's until its end is known. What stands there is public: it is what the ledger gets.
 */
export function outboxOf(ledgers: Pick<BaseConnection, 'base'>, command: string): Outbox {
  let ledger: Promise<string> | undefined;
  return {
    async keep({ lastValidBlockHeight, about = null, ...bytes }) {
      ledger ??= ledgerOf(ledgers);
      const height = lastValidBlockHeight.toString();
      const entry: Entry = {
        ...bytes,
        lastValidBlockHeight: height,
        about,
        ledger: await ledger,
        command,
        process: process.pid,
      };
      await mkdir(folder(), { recursive: true, mode: 0o700 });
      const file = join(folder(), `${bytes.signature}${SUFFIX}`);
      const handle = await open(`${file}.new`, 'w', 0o600);
      try {
        await handle.writeFile(JSON.stringify(entry));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${file}.new`, file);
    },
    drop: (signature) => rm(join(folder(), `${signature}${SUFFIX}`), { force: true }),
  };
}

/**
 * Asks the ledger about what former commands have sent whose end they did not see, and tells it; sends it again while the ledger takes it.
 * Returns one of them that was the same command and got through. Throws `Failure` transaction-unknown.
 */
export async function settleEarlier(ledgers: BaseConnection, command: string): Promise<DoneBefore | undefined> {
  const files = (await readdir(folder()).catch((): string[] => [])).filter((name) => name.endsWith(SUFFIX));
  if (files.length === 0) return undefined;
  let done: DoneBefore | undefined;
  const ledger = await ledgerOf(ledgers);
  for (const name of files) {
    const file = join(folder(), name);
    const entry = await readEntry(file, ledgers.time.now());
    if (entry?.ledger !== ledger) continue;
    const { signature, about } = entry;
    tell(`An earlier command did not learn what became of its transaction:\n  ${signature}`);
    const end = await settleKept(ledgers, { ...entry, lastValidBlockHeight: BigInt(entry.lastValidBlockHeight) });
    if (end === 'unknown') {
      throw new Failure(
        'transaction-unknown',
        `The ledger does not say what became of ${signature}. Try again later, or with another --rpc that keeps history; if you know it, remove ${file}`,
      );
    }
    const isDone = end === 'landed';
    tell(isDone ? 'It is on the ledger.' : 'It changed nothing.');
    // What was one of several is left to the state of the ledger, by which the command finds what is missing.
    const isSame = isDone && entry.isWhole && entry.command === command;
    if (isDone && !isSame && about !== null) tell(`Unless that is done: payout schedule register ${about}`);
    // Whoever noted something has more to do, and drops it then.
    if (!isSame || about === null) await rm(file, { force: true });
    if (isSame) done = new DoneBefore(signature, about ?? undefined);
  }
  return done;
}
