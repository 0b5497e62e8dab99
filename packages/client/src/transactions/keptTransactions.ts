import type { Signature } from '@solana/kit';
import type { BaseConnection } from './connection.ts';
import type { TransactionEnd } from './follow.ts';
import { settleKept } from './send.ts';
import type { KeptBytes, Outbox } from './sendingOptions.ts';

/** A transaction that somebody was about to send, as it is kept. All of it is public: it is what the ledger gets. */
export type OutboxTransaction = KeptBytes & {
  /** The ledger, by the hash of its first block. */
  readonly ledger: string;
  /** What it was sent for: whoever does the same again is told that it is done. */
  readonly action: string;
};

/** Where transactions are kept while their end is not known: a folder, or a browser's storage. */
export interface KeptTransactions {
  put(kept: OutboxTransaction): Promise<void>;
  drop(signature: Signature): Promise<void>;
  /** Those that nobody is at work on any more. */
  orphans(): Promise<readonly OutboxTransaction[]>;
}

/** Something is done again whose transaction is on the ledger, though its end was not seen then: there is nothing to send. */
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

const ledgerOf = ({ base }: Pick<BaseConnection, 'base'>): Promise<string> => base.getGenesisHash().send();

/** Keeps what is sent for an action until its end is known. */
export function outboxOver(kept: KeptTransactions, ledgers: Pick<BaseConnection, 'base'>, action: string): Outbox {
  let ledger: Promise<string> | undefined;
  return {
    async keep(bytes) {
      ledger ??= ledgerOf(ledgers);
      await kept.put({ ...bytes, ledger: await ledger, action });
    },
    drop: (signature) => kept.drop(signature),
  };
}

/** Told of each transaction whose end was not seen: before the ledger is asked, and what became of it. */
export type OrphanReport = {
  readonly onFound: (orphan: OutboxTransaction) => void;
  /** May throw, where the end is not known: the transaction stays kept. `isSame`: it was the same action, and is done. */
  readonly onEnd: (orphan: OutboxTransaction, end: TransactionEnd['kind'], isSame: boolean) => void;
};

/**
 * Asks the ledger about what was sent earlier and not followed to its end; sends it again while the ledger takes it. Returns one of them that
 * was the same action and got through.
 */
export async function settleOrphans(
  ledgers: BaseConnection,
  kept: KeptTransactions,
  action: string | undefined,
  { onFound, onEnd }: OrphanReport,
): Promise<DoneBefore | undefined> {
  const orphans = await kept.orphans();
  if (orphans.length === 0) return undefined;
  let done: DoneBefore | undefined;
  const ledger = await ledgerOf(ledgers);
  for (const orphan of orphans.filter((each) => each.ledger === ledger)) {
    const { signature, about } = orphan;
    onFound(orphan);
    const end = await settleKept(ledgers, orphan);
    // What was one of several is left to the state of the ledger, by which the missing ones are found.
    const isSame = end === 'landed' && orphan.isWhole && orphan.action === action;
    onEnd(orphan, end, isSame);
    if (end === 'unknown') continue;
    // Whoever noted something has more to do, and drops it then.
    if (!isSame || about === undefined) await kept.drop(signature);
    if (isSame) done = new DoneBefore(signature, about);
  }
  return done;
}

/** As JSON has it. */
type Plain = Omit<OutboxTransaction, 'lastValidBlockHeight' | 'about'> & {
  readonly lastValidBlockHeight: string;
  readonly about: string | null;
};

/** A kept transaction as text, and out of it. */
export const keptToText = ({ lastValidBlockHeight, about, ...kept }: OutboxTransaction): string => {
  const plain: Plain = { ...kept, about: about ?? null, lastValidBlockHeight: lastValidBlockHeight.toString() };
  return JSON.stringify(plain);
};
export function keptFromText(text: string): OutboxTransaction {
  const { lastValidBlockHeight, about, ...kept } = JSON.parse(text) as Plain;
  return { ...kept, about: about ?? undefined, lastValidBlockHeight: BigInt(lastValidBlockHeight) };
}
