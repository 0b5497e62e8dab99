import { createHash } from 'node:crypto';
import { MerkleTree, type WithdrawalProof } from '@payouts/client';
import { bytesOf, named, u64 } from '@payouts/testing/litesvm/addresses';
import type { Token } from '@payouts/testing/litesvm/handles';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';

/** A withdrawal that the base is to pay. */
export interface Payable {
  readonly number: bigint;
  readonly amount: bigint;
  readonly wallet: Address;
}

/** Trees that are remembered, by their roots: the oldest are forgotten. */
const REMEMBERED = 4_096;
const trees = new Map<string, WithdrawalTree>();
const hex = (root: ArrayLike<number>) => Buffer.from(Uint8Array.from(root)).toString('hex');

/** The withdrawals tree, hashed as docs/internals/ledger-program.md says and independently of the client. */
export class WithdrawalTree {
  readonly root: Uint8Array;
  readonly #tree: MerkleTree | undefined;

  constructor(readonly withdrawals: readonly Payable[]) {
    const hashes = withdrawals.map(({ number, amount, wallet }) =>
      createHash('sha256')
        .update(Buffer.concat([Uint8Array.of(6), u64(number), u64(amount), bytesOf(wallet), blindOf(number)]))
        .digest(),
    );
    this.#tree = hashes.length === 0 ? undefined : new MerkleTree(hashes);
    this.root = this.#tree?.root ?? new Uint8Array(32);
    trees.set(hex(this.root), this);
    const [oldest] = trees.keys();
    if (trees.size > REMEMBERED && oldest !== undefined) trees.delete(oldest);
  }

  get leaves(): number {
    return this.withdrawals.length;
  }

  has({ number, amount, wallet }: Payable): boolean {
    return this.withdrawals.some((each) => each.number === number && each.amount === amount && each.wallet === wallet);
  }

  /** The proof of a number's leaf; of a number that the tree doesn't have, one that proves nothing. */
  proof(number: bigint): WithdrawalProof {
    const index = this.withdrawals.findIndex((each) => each.number === number);
    return {
      index: Math.max(index, 0),
      blind: blindOf(number),
      proof: index < 0 ? [] : (this.#tree?.proof(index) ?? []),
    };
  }
}

/** The tree that has this root, in hexadecimal digits; undefined: nobody has made it. */
export const withdrawalsWithRoot = (root: string): WithdrawalTree | undefined => trees.get(root);

const NOTHING = new WithdrawalTree([]);
/** In the pool's bytes. */
const ROOT_AT = 288;

/** The proof of a withdrawal in the tree that a token's pool has recorded. */
export function provenIn(world: World, { pool }: Token, number: bigint): WithdrawalProof {
  const root = world.base.account(pool)?.data.subarray(ROOT_AT, ROOT_AT + 32);
  return (withdrawalsWithRoot(hex(root ?? [])) ?? NOTHING).proof(number);
}

const blindOf = (number: bigint): Uint8Array => bytesOf(named(`blind of withdrawal ${number}`)).slice(0, 16);
