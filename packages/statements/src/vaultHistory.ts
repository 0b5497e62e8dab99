import { decodeEvents, fetchVault, type PayoutEvent, schedulesById, signaturesFor, type Vault } from '@payouts/client';
import type {
  Address,
  GetAccountInfoApi,
  GetSignaturesForAddressApi,
  GetTransactionApi,
  Rpc,
  Signature,
} from '@solana/kit';

/** A pay run that is settled. */
export type PaidRun = {
  readonly schedule: Address;
  readonly window: bigint;
  /** Null: it was reclaimed from a lost execution layer, and the ledger does not say. */
  readonly paidCount: number | null;
};

/** What has changed a vault's money, in base units; never none. */
export type VaultMovement = {
  /** Whether it came in. */
  readonly isCredit: boolean;
  readonly amount: bigint;
  /** Unix milliseconds of the ledger's clock. */
  readonly at: number;
  /** Of the transaction on the base ledger. */
  readonly signature: string;
  /** What it was paid for; without one, tokens were deposited or withdrawn. */
  readonly run?: PaidRun;
};

/** Everything that has ever changed a vault's money, oldest first. */
export type VaultHistory = {
  readonly movements: readonly VaultMovement[];
  /** Base units that it has now, by the ledger: what is available, reserved and in open windows. They are what the movements come to. */
  readonly balance: bigint;
};

/** A vault's history can't be told. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';

  constructor(
    readonly code: 'history-incomplete' | 'history-moving',
    message: string,
  ) {
    super(message);
  }
}

type HistoryNode = Rpc<GetAccountInfoApi & GetSignaturesForAddressApi & GetTransactionApi>;

/** Transactions that are asked for side by side. */
const AT_ONCE = 8;
/** Times that a vault is read in which something moves meanwhile. */
const READINGS = 5;
const FINAL = { commitment: 'finalized' } as const;

/**
 * Reads a vault's history from the events of its transactions, and sees that they come to exactly what the ledger says of it: what was
 * deposited, withdrawn and paid. `onRead` hears how many transactions of how many are read. Throws `HistoryError`, and kit's errors when the node can't be
 * reached.
 */
export async function readVaultHistory(
  vault: Address,
  rpc: HistoryNode,
  onRead: (read: number, of: number) => void = () => {},
): Promise<VaultHistory> {
  let { data: before } = await fetchVault(rpc, vault, FINAL);
  for (let reading = 0; reading < READINGS; reading++) {
    const book = new Movements(vault, new Set(await schedulesById(vault, before.nextId)));
    await readInto(book, vault, rpc, onRead);
    const { data: after } = await fetchVault(rpc, vault, FINAL);
    if (isUnmoved(before, after)) return book.result(after);
    before = after;
  }
  throw new HistoryError('history-moving', 'The vault’s money moves all the time. Try again in a minute.');
}

const isUnmoved = (one: Vault, other: Vault): boolean =>
  one.deposited === other.deposited && one.withdrawn === other.withdrawn && one.paid === other.paid;

async function readInto(
  book: Movements,
  vault: Address,
  rpc: HistoryNode,
  onRead: (read: number, of: number) => void,
): Promise<void> {
  const signed = (await signaturesFor(rpc, vault, FINAL.commitment)).filter(({ err }) => err === null).reverse();
  for (let from = 0; from < signed.length; from += AT_ONCE) {
    const some = signed.slice(from, from + AT_ONCE);
    const found = await Promise.all(some.map(({ signature }) => transactionOf(rpc, signature)));
    for (const [place, { signature }] of some.entries()) book.take(signature, found[place] ?? null);
    onRead(Math.min(from + AT_ONCE, signed.length), signed.length);
  }
}

type Landed = { readonly at: number | null; readonly events: readonly PayoutEvent[] };

async function transactionOf(rpc: HistoryNode, signature: Signature): Promise<Landed | null> {
  const found = await rpc
    .getTransaction(signature, { ...FINAL, encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send();
  if (found === null) return null;
  const at = found.blockTime === null ? null : Number(found.blockTime) * 1_000;
  return { at, events: decodeEvents(found.meta?.logMessages ?? []) };
}

/** Books a vault's movements, transaction by transaction. */
class Movements {
  readonly #movements: VaultMovement[] = [];
  /** Base units of each schedule's window that was opened last. */
  readonly #opened = new Map<Address, bigint>();
  #deposited = 0n;
  #withdrawn = 0n;
  #paid = 0n;

  constructor(
    private readonly vault: Address,
    private readonly schedules: ReadonlySet<Address>,
  ) {}

  /** `landed` null: the node no longer has it. */
  take(signature: Signature, landed: Landed | null): void {
    if (landed === null) throw incomplete();
    for (const event of landed.events) {
      const movement = this.#movementOf(event);
      if (movement === undefined || movement.amount === 0n) continue;
      if (landed.at === null) throw incomplete();
      this.#movements.push({ ...movement, at: landed.at, signature });
    }
  }

  /** Throws `HistoryError` if the ledger says anything else. */
  result({ deposited, withdrawn, paid }: Vault): VaultHistory {
    // Lifetime sums wrap.
    const isSame = (one: bigint, other: bigint) => BigInt.asUintN(64, one) === other;
    const isWhole =
      isSame(this.#deposited, deposited) && isSame(this.#withdrawn, withdrawn) && isSame(this.#paid, paid);
    if (!isWhole) throw incomplete();
    return { movements: this.#movements, balance: this.#balance };
  }

  get #balance(): bigint {
    return this.#deposited - this.#withdrawn - this.#paid;
  }

  #movementOf(event: PayoutEvent): Omit<VaultMovement, 'at' | 'signature'> | undefined {
    switch (event.__kind) {
      case 'Deposited':
        return event.vault === this.vault ? this.#deposit(event.amount) : undefined;
      case 'Withdrawn':
        return event.vault === this.vault ? this.#withdrawal(event.amount) : undefined;
      case 'VaultClosed':
        // What was sent to it without a deposit went out, too, and was never in its books.
        return event.vault === this.vault ? this.#withdrawal(this.#balance) : undefined;
      case 'WindowOpened':
        this.#opened.set(event.schedule, event.amount);
        return undefined;
      case 'WindowSettled':
        return this.#run({ ...event, paid: event.paidAmount });
      case 'WindowReclaimed':
        return this.#run({
          ...event,
          paid: (this.#opened.get(event.schedule) ?? 0n) - event.returned,
          paidCount: null,
        });
      default:
        return undefined;
    }
  }

  #deposit(amount: bigint) {
    this.#deposited += amount;
    return { isCredit: true, amount };
  }

  #withdrawal(amount: bigint) {
    this.#withdrawn += amount;
    return { isCredit: false, amount };
  }

  #run({ schedule, window, paid, paidCount }: PaidRun & { readonly paid: bigint }) {
    if (!this.schedules.has(schedule)) return undefined;
    this.#paid += paid;
    return { isCredit: false, amount: paid, run: { schedule, window, paidCount } };
  }
}

const incomplete = (): HistoryError =>
  new HistoryError(
    'history-incomplete',
    'The node does not have all of the vault’s history. Name one that keeps it by --rpc.',
  );
