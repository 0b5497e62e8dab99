import {
  CREATE_SCHEDULE_DISCRIMINATOR,
  decodeEvents,
  getCreateScheduleInstructionDataDecoder,
  getUpdateRecipientsInstructionDataDecoder,
  type PayoutEvent,
  readSettlement,
  UPDATE_RECIPIENTS_DISCRIMINATOR,
} from '@payouts/client';
import type { Address, Signature } from '@solana/kit';
import { type LandedTransaction, type LedgerHistory, SIGNATURES_AT_ONCE } from '../ledger/history.ts';
import { forEachLimited } from '../platform/concurrency.ts';

/** Transactions read at a time. */
const READS_AT_A_TIME = 4;
const READ_AHEAD = 16;
/** Looks through one schedule's history at a time: what lies further back is for the next round. */
const MOST_PAGES = 20;

/** When a window was opened, by which transaction, and with what; time in unix milliseconds. */
export type Opening = {
  readonly signature: Signature;
  readonly at: number | null;
  readonly amount: bigint;
  readonly recipients: number;
  readonly held: number;
  /** No other root was promised since. */
  readonly hasPresentRoot: boolean;
  /** What it was opened with, as far as the history has been read back to its promise. */
  readonly root: Uint8Array | undefined;
};

/** How a window ended. What is undefined, the ledger does not tell any more. */
export type Ending = {
  readonly signature: Signature | undefined;
  readonly at: number | null;
  readonly paidCount: number | undefined;
  /** Base units. */
  readonly paidAmount: bigint | undefined;
  /** Base units that went back to the vault. */
  readonly returned: bigint | undefined;
  readonly bitmapHash: Uint8Array | undefined;
  /** The execution layer was lost with it: what the recorded liabilities tree did not know of it is paid to nobody. */
  readonly isReclaimed?: true;
};

const NOT_TOLD = { paidCount: undefined, paidAmount: undefined, returned: undefined, bitmapHash: undefined };

/** What the base ledger's history tells of a window. */
export type WindowHistory = { readonly opening?: Opening; readonly ending?: Ending };

/** What it tells of a schedule. */
export type ScheduleHistory = {
  readonly windows: ReadonlyMap<bigint, WindowHistory>;
  /** The schedule was closed: it never comes back. */
  readonly isClosed: boolean;
};

export type HistoryInput = {
  readonly history: LedgerHistory;
  readonly program: Address;
  readonly schedule: Address;
  /** The windows that are looked for; the search ends when all of them have been found. */
  readonly wanted: ReadonlySet<bigint>;
  /** The search ends only when their roots have been found, too. */
  readonly withRoots?: boolean;
  /** Which of these transactions are known to be about other windows, and need not be read. */
  readonly known: (signatures: readonly Signature[]) => Promise<ReadonlySet<string>>;
};

/** Reads a schedule's history on the base ledger, newest first. Throws `RunError` when the ledger can't be read. */
export async function readWindows(input: HistoryInput): Promise<ScheduleHistory> {
  const { history, schedule, wanted } = input;
  const reading = new Reading(input);
  let before: Signature | undefined;
  for (let page = 0; page < MOST_PAGES && !reading.hasAll(wanted); page++) {
    const signed = await history.signatures(schedule, before);
    await reading.take(signed.filter(({ hasFailed }) => !hasFailed).map(({ signature }) => signature));
    before = signed.at(-1)?.signature;
    if (signed.length < SIGNATURES_AT_ONCE) break;
  }
  return reading;
}

class Reading implements ScheduleHistory {
  readonly windows = new Map<bigint, WindowHistory>();
  isClosed = false;
  #hasPresentRoot = true;

  constructor(private readonly input: HistoryInput) {}

  hasAll(wanted: ReadonlySet<bigint>): boolean {
    return [...wanted].every((window) => {
      const found = this.windows.get(window);
      const hasBoth = found?.opening !== undefined && found.ending !== undefined;
      return hasBoth && (this.input.withRoots !== true || found.opening.root !== undefined);
    });
  }

  /** Takes transactions in the order given, newest first. */
  async take(signatures: readonly Signature[]): Promise<void> {
    const known = await this.input.known(signatures);
    const toRead = signatures.filter((signature) => !known.has(signature));
    for (let start = 0; start < toRead.length && !this.hasAll(this.input.wanted); start += READ_AHEAD) {
      const some = toRead.slice(start, start + READ_AHEAD);
      const read = new Map<Signature, LandedTransaction>();
      await forEachLimited(some, READS_AT_A_TIME, async (signature) => {
        const transaction = await this.input.history.transaction(signature);
        if (transaction !== undefined) read.set(signature, transaction);
      });
      for (const signature of some) {
        const transaction = read.get(signature);
        if (transaction !== undefined) this.#takeOne(signature, transaction);
      }
    }
  }

  #takeOne(signature: Signature, transaction: LandedTransaction): void {
    const { program, schedule } = this.input;
    const at = transaction.time;
    // A long log is cut short, the instructions are all there.
    for (const { program: called, accounts, data } of transaction.instructions) {
      const settled = called === program ? readSettlement(data, accounts) : undefined;
      for (const { schedule: ended, window } of settled?.windows ?? []) {
        if (ended === schedule) this.#note(window, { ending: { signature, at, ...NOT_TOLD } });
      }
    }
    const events = decodeEvents(transaction.logs, { programAddress: program }).filter(
      (event) => 'schedule' in event && event.schedule === schedule,
    );
    // The newest first, like the transactions.
    for (const event of events.toReversed()) this.#takeEvent(event, signature, at);
    const root = promisedRoot(transaction, this.input);
    if (root !== undefined) this.#noteRoot(root);
  }

  /** Windows that were opened later, and before any other root was promised, were opened with this one. */
  #noteRoot(root: Uint8Array): void {
    for (const [window, found] of this.windows) {
      const { opening } = found;
      if (opening !== undefined && opening.root === undefined) {
        this.windows.set(window, { ...found, opening: { ...opening, root } });
      }
    }
  }

  #takeEvent(event: PayoutEvent, signature: Signature, at: number | null): void {
    if (event.__kind === 'WindowSettled') {
      const { window, paidCount, paidAmount, returned } = event;
      const bitmapHash = Uint8Array.from(event.bitmapHash);
      this.#note(window, { ending: { signature, at, paidCount, paidAmount, returned, bitmapHash } });
    } else if (event.__kind === 'WindowReclaimed') {
      // Payments that the tree knew have an amount, but no count.
      const { window, returned } = event;
      this.#note(window, { ending: { signature, at, ...NOT_TOLD, paidCount: 0, returned, isReclaimed: true } });
    } else if (event.__kind === 'WindowOpened') {
      const { window, amount, recipients, held } = event;
      const hasPresentRoot = this.#hasPresentRoot;
      this.#note(window, { opening: { signature, at, amount, recipients, held, hasPresentRoot, root: undefined } });
    } else if (event.__kind === 'RecipientsUpdated') {
      this.#hasPresentRoot = false;
    } else if (event.__kind === 'ScheduleClosed') {
      this.isClosed = true;
    }
  }

  /** A reclaimed window tells what went back; with what it was opened with, that says what it had paid. */
  #note(window: bigint, found: WindowHistory): void {
    const { opening, ending } = { ...this.windows.get(window), ...found };
    const returned = ending?.returned;
    const paidAmount =
      ending?.paidAmount ?? (opening && returned !== undefined ? opening.amount - returned : undefined);
    this.windows.set(window, { ...(opening && { opening }), ...(ending && { ending: { ...ending, paidAmount } }) });
  }
}

/** Where the accounts of an instruction that promises a root have the schedule. */
const CREATED_PLACE = 5;
const UPDATED_PLACE = 4;

/** The root that a transaction promises for the schedule, if it does. */
function promisedRoot(
  { instructions }: LandedTransaction,
  { program, schedule }: Pick<HistoryInput, 'program' | 'schedule'>,
): Uint8Array | undefined {
  const ours = instructions.filter((instruction) => instruction.program === program);
  for (const { accounts, data } of ours) {
    if (data[0] === CREATE_SCHEDULE_DISCRIMINATOR && accounts[CREATED_PLACE] === schedule) {
      return Uint8Array.from(getCreateScheduleInstructionDataDecoder().decode(data).root);
    }
    if (data[0] === UPDATE_RECIPIENTS_DISCRIMINATOR && accounts[UPDATED_PLACE] === schedule) {
      return Uint8Array.from(getUpdateRecipientsInstructionDataDecoder().decode(data).root);
    }
  }
  return undefined;
}
