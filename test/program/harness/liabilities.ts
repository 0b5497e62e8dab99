import { createHash } from 'node:crypto';
import { deliveryCode, MerkleTree } from '@payouts/client';
import { bytesOf, named, u32, u64 } from '@payouts/testing/litesvm/addresses';
import type { Holder } from '@payouts/testing/litesvm/handles';
import type { Address } from '@solana/kit';
import { WithdrawalTree } from './withdrawals.ts';

/** A private balance in the liabilities tree, or a withdrawal of one that has its number. */
export interface LiabilityBalance {
  readonly holder: Holder;
  readonly amount: bigint;
  /** The withdrawal's; 0: it is a balance. */
  readonly number: bigint;
  /** Where the withdrawal goes: it is to be paid. */
  readonly wallet?: Address | undefined;
}

/** An open window in the liabilities tree. */
export interface LiabilityWindow {
  readonly schedule: Address;
  readonly window: bigint;
  readonly paid: bigint;
}

/** What is recorded of a tree. */
export interface LiabilityRecord {
  readonly sequence: bigint;
  readonly root: Uint8Array;
  readonly total: bigint;
  readonly openings: bigint;
  readonly movedIn: bigint;
  readonly coveredTo: bigint;
  readonly leaves: number;
  readonly withdrawalsRoot: Uint8Array;
  readonly withdrawalLeaves: number;
}

/**
 * The liabilities tree, hashed as docs/internals/ledger-program.md says and independently of the client: balances and withdrawals first,
 * then windows. A coordinator leaves gaps between them; the ledger program doesn't mind.
 */
export class LiabilityTree {
  /** The withdrawals among them that are to be paid. */
  readonly withdrawals: WithdrawalTree;
  readonly #tree: MerkleTree | undefined;

  constructor(
    readonly balances: readonly LiabilityBalance[],
    readonly windows: readonly LiabilityWindow[],
  ) {
    const hashes = [
      ...balances.map(({ holder, amount, number }, index) =>
        hash(4, u32(index), ownerOf(holder), u64(amount), u64(number), blindOf(index)),
      ),
      ...windows.map(({ schedule, window, paid }, place) => {
        const index = balances.length + place;
        return hash(5, u32(index), bytesOf(schedule), u64(window), u64(paid), blindOf(index));
      }),
    ];
    this.withdrawals = new WithdrawalTree(
      balances.flatMap(({ number, amount, wallet }) =>
        number === 0n || wallet === undefined ? [] : [{ number, amount, wallet }],
      ),
    );
    this.#tree = hashes.length === 0 ? undefined : new MerkleTree(hashes);
  }

  get leaves(): number {
    return this.balances.length + this.windows.length;
  }

  /** What is recorded of the tree. */
  record(
    sequence: bigint,
    total: bigint,
    { openings, movedIn }: Pick<LiabilityRecord, 'openings' | 'movedIn'>,
    coveredTo: bigint,
  ): LiabilityRecord {
    const root = this.#tree?.root ?? new Uint8Array(32);
    const { root: withdrawalsRoot, leaves: withdrawalLeaves } = this.withdrawals;
    const known = { openings, movedIn, coveredTo, leaves: this.leaves, withdrawalsRoot, withdrawalLeaves };
    return { sequence, root, total, ...known };
  }

  /** What redeems a balance or a withdrawal. */
  balance(index: number) {
    const { amount, number } = this.balances[index] as LiabilityBalance;
    return { index, amount, number, ...this.#proof(index) };
  }

  /** What reclaims a window. */
  window(schedule: Address) {
    const place = this.windows.findIndex((window) => window.schedule === schedule);
    const index = this.balances.length + place;
    return { index, paid: (this.windows[place] as LiabilityWindow).paid, ...this.#proof(index) };
  }

  #proof(index: number) {
    return { blind: blindOf(index), proof: this.#tree?.proof(index) ?? [] };
  }
}

function blindOf(index: number): Uint8Array {
  return bytesOf(named(`blind of ${index}`)).slice(0, 16);
}

const ownerOf = ({ recipient, opening, delivery }: Holder): Uint8Array =>
  hash(2, Uint8Array.of(deliveryCode(delivery)), bytesOf(recipient), opening);

function hash(...parts: readonly (number | Uint8Array)[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(typeof part === 'number' ? Uint8Array.of(part) : part);
  return hash.digest();
}
