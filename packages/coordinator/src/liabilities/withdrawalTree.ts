import {
  addressFromBytes,
  addressToBytes,
  BLIND_BYTES,
  MerkleTree,
  type PayableWithdrawal,
  type WithdrawalProof,
  withdrawalLeafHash,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Blinds } from '../domain/liability.ts';

const KEY_BYTES = 32;
/** Of all blinds: a tree never changes, and each has a key of its own. */
const VERSION = 0n;
/** number u64 ‖ amount u64 ‖ wallet 32 */
const ENTRY_BYTES = 48;

/**
 * The withdrawals of one token that the base ledger pays once the tree is recorded: what it is asked to pay must stand in it with number,
 * amount and wallet. Ordered by number, so that a leaf's place tells nothing that the numbers don't. Private: its leaves are blinded by a key
 * that each tree has of its own, because a payment publishes its blind and the hashes beside it.
 */
export class WithdrawalTree {
  readonly #places = new Map<bigint, number>();
  readonly #tree: MerkleTree | undefined;
  readonly #blinds: Blinds;

  /** `key`: 32 secret bytes. Takes the withdrawals in order of their numbers, as many as a tree may hold. */
  constructor(
    private readonly key: Uint8Array,
    mint: Address,
    private readonly withdrawals: readonly PayableWithdrawal[],
  ) {
    this.#blinds = new Blinds(key, mint);
    const hashes = withdrawals.map((withdrawal, place) => {
      this.#places.set(withdrawal.number, place);
      return withdrawalLeafHash(withdrawal, this.#blinds.of(place, VERSION));
    });
    this.#tree = hashes.length === 0 ? undefined : new MerkleTree(hashes);
  }

  /** Reads what `content` has written. */
  static read(content: Buffer, mint: Address): WithdrawalTree {
    const withdrawals: PayableWithdrawal[] = [];
    for (let at = KEY_BYTES; at < content.length; at += ENTRY_BYTES) {
      withdrawals.push({
        number: content.readBigUInt64LE(at),
        amount: content.readBigUInt64LE(at + 8),
        wallet: addressFromBytes(content.subarray(at + 16, at + ENTRY_BYTES)),
      });
    }
    return new WithdrawalTree(Uint8Array.from(content.subarray(0, KEY_BYTES)), mint, withdrawals);
  }

  /** Its key and its withdrawals, to be encrypted. */
  get content(): Buffer {
    const content = Buffer.alloc(KEY_BYTES + this.leafCount * ENTRY_BYTES);
    content.set(this.key);
    for (const [place, { number, amount, wallet }] of this.withdrawals.entries()) {
      const at = KEY_BYTES + place * ENTRY_BYTES;
      content.writeBigUInt64LE(number, at);
      content.writeBigUInt64LE(amount, at + 8);
      content.set(addressToBytes(wallet), at + 16);
    }
    return content;
  }

  /** 32 zero bytes while the tree is empty. */
  get root(): Uint8Array {
    return this.#tree?.root ?? new Uint8Array(32);
  }

  get leafCount(): number {
    return this.withdrawals.length;
  }

  hasNumber(number: bigint): boolean {
    return this.#places.has(number);
  }

  /** Whether the tree has this number with this amount and wallet. */
  has({ number, amount, wallet }: PayableWithdrawal): boolean {
    const known = this.withdrawals[this.#places.get(number) ?? -1];
    return known?.amount === amount && known.wallet === wallet;
  }

  /** What the ledger asks for as a proof; for a number that the tree doesn't have, one that it refuses. */
  proof(number: bigint): WithdrawalProof {
    const place = this.#places.get(number);
    if (place === undefined) return NO_PROOF;
    return { index: place, blind: this.#blinds.of(place, VERSION), proof: this.#tree?.proof(place) ?? [] };
  }
}

/** What the ledger takes for a withdrawal that it has paid. */
export const NO_PROOF: WithdrawalProof = { index: 0, blind: new Uint8Array(BLIND_BYTES), proof: [] };
