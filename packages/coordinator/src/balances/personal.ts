import {
  addressFromBytes,
  HASH_BYTES,
  PERSONAL_KIND,
  type RecoveryState,
  readRecovery,
  WIPED_PERSONAL_KIND,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { LiabilityWithdrawal } from '../domain/liability.ts';
import type { LedgerAccount, MemcmpFilter } from '../ledger/ledger.ts';

/** Where a personal account holds what is needed here. Read by hand: thousands are read at once. */
const AT = {
  numbered: 3,
  waits: 4,
  watched: 5,
  delivery: 6,
  slot: 7,
  mint: 8,
  owner: 40,
  recipient: 72,
  page: 104,
  waiting: 136,
  nextId: 144,
  delayMin: 148,
  delayMax: 150,
  threshold: 152,
  orderWallet: 160,
  orderPart: 192,
  recovery: 200,
  recoveryDueAt: 272,
  madeAt: 296,
  pays: 304,
  withdrawals: 312,
};
/** The same of one that was wiped, with its token in the same place. */
const WIPED_AT = 56;
/** A withdrawal or transfer: number u64 ‖ amount u64 ‖ wallet or payment code 32 ‖ due_at i64 ‖ id u32 ‖ in_round u16 ‖ to_code u16. */
const WITHDRAWAL_BYTES = 64;
/** What `in_round` is of a part that waits for a round, and of one that stands ready. */
const IN_ROUND = 1;
const STANDS = 2;

/** A withdrawal of a balance as the execution layer shows it. Private. */
export type ObservedWithdrawal = LiabilityWithdrawal & {
  readonly personal: ObservedPersonal;
  readonly wallet: Address;
  /** Among the balance's own. */
  readonly id: number;
  /** Unix seconds of the layer's clock: of the release, or with a number from when on it may be issued; 0: at once. */
  readonly dueAt: bigint;
  /** It leaves in a round with others' parts, at `dueAt` the latest. */
  readonly inRound: boolean;
};

/** A private transfer that waits to be made, as the execution layer shows it. Private. */
export type ObservedTransfer = {
  readonly personal: ObservedPersonal;
  /** Among the balance's own. */
  readonly id: number;
  readonly amount: bigint;
  /** Owner of the balance that is to be paid. */
  readonly code: Uint8Array;
};

/** A part that stands ready: it is begun once the balance has as much. Private. */
export type ObservedStanding = Pick<ObservedWithdrawal, 'id' | 'amount' | 'wallet'>;

/** What a recipient has asked of a balance, as the execution layer shows it. Private. */
export class ObservedPersonal {
  readonly #data: Uint8Array;
  readonly #view: DataView;

  constructor(
    readonly address: Address,
    data: Uint8Array,
  ) {
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset);
  }

  get mint(): Address {
    return this.#address(AT.mint);
  }

  get recipient(): Address {
    return this.#address(AT.recipient);
  }

  get owner(): Uint8Array {
    return this.#data.slice(AT.owner, AT.owner + HASH_BYTES);
  }

  get page(): Address {
    return this.#address(AT.page);
  }

  get slot(): number {
    return this.#data[AT.slot] as number;
  }

  /** Whether all of the balance goes to the recipient's own wallet. */
  get isDelivery(): boolean {
    return this.#data[AT.delivery] !== 0;
  }

  /** Base units of the withdrawals that wait for their release. */
  get waiting(): bigint {
    return this.#view.getBigUint64(AT.waiting, true);
  }

  /** From which available amount on the standing order takes tokens out, base units; 0: no order. */
  get threshold(): bigint {
    return this.#view.getBigUint64(AT.threshold, true);
  }

  get orderWallet(): Address {
    return this.#address(AT.orderWallet);
  }

  /** What each withdrawal of the order takes, base units; 0: everything. */
  get orderPart(): bigint {
    return this.#view.getBigUint64(AT.orderPart, true);
  }

  /** Whether another withdrawal can be begun. */
  get hasRoom(): boolean {
    return AT.withdrawals + (this.#places().length + 1) * WITHDRAWAL_BYTES <= this.#data.length;
  }

  /** A withdrawal to the standing order's wallet is under way: the order's next part is drawn when it is paid, so that parts lie apart. */
  get isOrderUnderWay(): boolean {
    const { orderWallet } = this;
    return this.withdrawals().some(({ wallet }) => wallet === orderWallet);
  }

  /** Minutes within which the order's withdrawals are to be released; undefined: at once. */
  get delays(): { readonly least: number; readonly most: number } | undefined {
    const most = this.#view.getUint16(AT.delayMax, true);
    return most === 0 ? undefined : { least: this.#view.getUint16(AT.delayMin, true), most };
  }

  /** Who may recover the balance, at a time in unix seconds. */
  recovery(now: bigint): RecoveryState {
    const number = (at: number) => this.#view.getBigInt64(AT.recovery + at, true);
    return readRecovery(
      {
        recoveryWallet: this.#address(AT.recovery),
        recoveryNextWallet: this.#address(AT.recovery + HASH_BYTES),
        recoveryNextSince: number(2 * HASH_BYTES),
        recoveryDueAt: number(2 * HASH_BYTES + 8),
      },
      now,
    );
  }

  /** Unix seconds of the layer's clock. */
  get madeAt(): bigint {
    return this.#view.getBigInt64(AT.madeAt, true);
  }

  /** Whether a withdrawal was ever asked of it. */
  get wasUsed(): boolean {
    return this.#view.getUint32(AT.nextId, true) > 1;
  }

  /** Nothing is under way or stands: it can be wiped. */
  get isIdle(): boolean {
    const { recovery } = AT;
    const hasRecovery = this.#data.subarray(recovery, recovery + 2 * HASH_BYTES).some((byte) => byte !== 0);
    return this.#data[AT.watched] === 0 && !hasRecovery && this.#places().length === 0;
  }

  /** Withdrawals under way: with their numbers, and those that wait for their release. */
  withdrawals(): ObservedWithdrawal[] {
    return this.#places()
      .filter((at) => !this.#isTransfer(at) && !this.#stands(at))
      .map((at) => ({
        personal: this,
        owner: this.owner,
        number: this.#view.getBigUint64(at, true),
        amount: this.#view.getBigUint64(at + 8, true),
        wallet: this.#address(at + 16),
        dueAt: this.#view.getBigInt64(at + 48, true),
        id: this.#view.getUint32(at + 56, true),
        inRound: this.#view.getUint16(at + 60, true) === IN_ROUND,
      }));
  }

  /** Parts that stand ready, the first ones first. */
  standing(): ObservedStanding[] {
    return this.#places()
      .filter((at) => this.#stands(at))
      .map((at) => ({
        id: this.#view.getUint32(at + 56, true),
        amount: this.#view.getBigUint64(at + 8, true),
        wallet: this.#address(at + 16),
      }))
      .sort((one, other) => one.id - other.id);
  }

  /** Private transfers that wait to be made. */
  transfers(): ObservedTransfer[] {
    return this.#places()
      .filter((at) => this.#isTransfer(at))
      .map((at) => ({
        personal: this,
        id: this.#view.getUint32(at + 56, true),
        amount: this.#view.getBigUint64(at + 8, true),
        code: this.#data.slice(at + 16, at + 16 + HASH_BYTES),
      }));
  }

  /** Where something stands that leaves the balance. */
  #places(): number[] {
    const found: number[] = [];
    for (let at = AT.withdrawals; at + WITHDRAWAL_BYTES <= this.#data.length; at += WITHDRAWAL_BYTES) {
      if (this.#view.getBigUint64(at + 8, true) !== 0n) found.push(at);
    }
    return found;
  }

  #isTransfer(at: number): boolean {
    return this.#view.getUint16(at + 62, true) !== 0;
  }

  #stands(at: number): boolean {
    return this.#view.getUint16(at + 60, true) === STANDS;
  }

  #address(at: number): Address {
    return addressFromBytes(this.#data.subarray(at, at + HASH_BYTES));
  }
}

/** The personal account in an account; undefined if it is none of our program. */
export function observedPersonal(account: LedgerAccount | null, program: Address): ObservedPersonal | undefined {
  if (account === null || account.owner !== program || account.data[0] !== PERSONAL_KIND) return undefined;
  return new ObservedPersonal(account.address, account.data);
}

/** A personal account that says nothing of anybody any more, and when it was wiped, unix seconds of the layer's clock. */
export type WipedPersonal = { readonly address: Address; readonly mint: Address; readonly wipedAt: bigint };

export function wipedPersonal({ address, data }: LedgerAccount): WipedPersonal {
  const mint = addressFromBytes(data.subarray(AT.mint, AT.mint + HASH_BYTES));
  const wipedAt = new DataView(data.buffer, data.byteOffset).getBigInt64(WIPED_AT, true);
  return { address, mint, wipedAt };
}

const PERSONAL: MemcmpFilter = { at: 0, bytes: Uint8Array.of(PERSONAL_KIND) };

const having = (at: number): readonly MemcmpFilter[] => [PERSONAL, { at, bytes: Uint8Array.of(1) }];

/** With a withdrawal that has its number. */
export const NUMBERED = having(AT.numbered);
/** With a withdrawal that waits for its release time. */
export const WAITING = having(AT.waits);
/** With a private transfer that waits. */
export const PAYING = having(AT.pays);
/** With a standing order, parts that stand ready, or delivery to the recipient's own wallet. */
export const WATCHED = having(AT.watched);
/** By which money goes on to a wallet. */
export const DELIVERY = having(AT.delivery);
/** Of which nothing is to leave, and whose recipient named nobody. */
export const IDLE: readonly MemcmpFilter[] = [
  PERSONAL,
  { at: AT.numbered, bytes: new Uint8Array(AT.slot - AT.numbered) },
  { at: AT.recovery, bytes: new Uint8Array(2 * HASH_BYTES) },
];
/** Bits of a time that are the same for some 194 days. */
const DAYS_BITS = 24n;
/** With a recovery that can be completed in the same 194 days as a time, unix seconds: one byte of when it can be tells it. */
export const recoverableAround = (at: bigint): readonly MemcmpFilter[] => [
  PERSONAL,
  { at: AT.recoveryDueAt + Number(DAYS_BITS) / 8, bytes: Uint8Array.of(Number((at >> DAYS_BITS) & 0xffn)) },
];
/** Those that were wiped. */
export const WIPED: readonly MemcmpFilter[] = [{ at: 0, bytes: Uint8Array.of(WIPED_PERSONAL_KIND) }];
/** Of one token. */
export const ofMint = (mint: Uint8Array): MemcmpFilter => ({ at: AT.mint, bytes: mint });
