import type { Address, Instruction, MaybeAccount, TransactionSigner } from '@solana/kit';
import { findConfigAddress, findPageAddress, findPoolAddress, findRedeemedPageAddress } from '../accounts/addresses.ts';
import { ledgerSeconds } from '../accounts/ledgerClock.ts';
import { isSameBytes } from '../bytes.ts';
import { fetchConfig, fetchMaybePage, fetchMaybeRedeemedPage, fetchPool } from '../generated/index.ts';
import { isBitSet, placeOfLiabilityLeaf, placeOfWithdrawal } from '../merkle/bitmap.ts';
import { type LiabilityBalanceLeaf, verifyLiabilityInclusion } from '../merkle/liabilities.ts';
import { type BalanceOwner, ownerRecord } from '../merkle/owner.ts';
import type { LiabilityProof } from '../receipts/liabilityProof.ts';
import { millisOf } from '../time.ts';
import type { Ledgers } from '../transactions/connection.ts';
import { redeemInstructions } from '../transactions/instructions.ts';

type Base = Pick<Ledgers, 'base'>;

/** Whether the execution layer is lost; `declared`: it will be, from a time on, unix milliseconds. */
export type LayerLoss = { readonly state: 'none' } | { readonly state: 'declared' | 'lost'; readonly from: number };

/** What the base ledger says of the execution layer's loss. */
export async function readLayerLoss({ base }: Base): Promise<LayerLoss> {
  const { data } = await fetchConfig(base, await findConfigAddress(), { commitment: 'finalized' });
  const { lossDeclaredAt, lossGrace } = data;
  if (lossDeclaredAt === 0n) return { state: 'none' };
  const from = lossDeclaredAt + BigInt(lossGrace);
  return { state: (await ledgerSeconds(base)) < from ? 'declared' : 'lost', from: millisOf(from) };
}

/**
 * Why nothing can be redeemed by proofs: they are of somebody else; of another recording than the ledger holds; it was done already; the
 * balance was empty when it was recorded.
 */
export type RedeemFault = 'proof-unfit' | 'proof-old' | 'already-redeemed' | 'nothing-due';

/** Nothing can be redeemed by these proofs. */
export class NotRedeemable extends Error {
  override readonly name = 'NotRedeemable';

  constructor(readonly fault: RedeemFault) {
    super(`Nothing can be redeemed: ${fault}.`);
  }
}

/** Whether a proof is under the root that the ledger has recorded last. */
export async function isRecorded({ base }: Base, { mint, leaf, proof }: LiabilityProof): Promise<boolean> {
  const { data: pool } = await fetchPool(base, await findPoolAddress(mint), { commitment: 'finalized' });
  const recorded = { liabilitiesRoot: Uint8Array.from(pool.liabilitiesRoot), liabilityLeaves: pool.liabilityLeaves };
  return verifyLiabilityInclusion({ pool: recorded, leaf, proof });
}

/** Whether a bit of a page is set; none is while the page is not there. */
const isMarked = (page: MaybeAccount<{ readonly bitmap: ArrayLike<number> }>, bit: number): boolean =>
  page.exists && isBitSet(page.data.bitmap, bit);

/** Base units that a leaf is owed, without a withdrawal that the ledger has paid; `redeemed`: it was taken out of the pool already. */
async function dueOf({ base }: Base, mint: Address, leaf: LiabilityBalanceLeaf): Promise<bigint | 'redeemed'> {
  const redeemed = await fetchMaybeRedeemedPage(base, await findRedeemedPageAddress(mint, leaf.index));
  if (isMarked(redeemed, placeOfLiabilityLeaf(leaf.index).bit)) return 'redeemed';
  const { number, amount } = leaf;
  if (number === 0n) return amount;
  const page = await fetchMaybePage(base, await findPageAddress(mint, number));
  return isMarked(page, placeOfWithdrawal(number).bit) ? 0n : amount;
}

/** What is due by one proof: the balance, or one of its withdrawals under way. */
export type Due = {
  readonly mint: Address;
  readonly leaf: LiabilityBalanceLeaf;
  readonly proof: LiabilityProof['proof'];
  /** Base units. */
  readonly amount: bigint;
};

/** What of these proofs is due to an owner, by what the base ledger holds now. Throws `NotRedeemable`. */
export async function duesOf(
  ledgers: Base,
  own: BalanceOwner,
  proofs: readonly LiabilityProof[],
): Promise<readonly Due[]> {
  const { owner } = ownerRecord(own);
  const dues: Due[] = [];
  const faults = new Set<RedeemFault>();
  for (const each of proofs) {
    const { mint, leaf, proof } = each;
    if (leaf.kind !== 'balance' || !isSameBytes(leaf.owner, owner)) continue;
    if (!(await isRecorded(ledgers, each))) throw new NotRedeemable('proof-old');
    const amount = await dueOf(ledgers, mint, leaf);
    if (amount === 'redeemed') faults.add('already-redeemed');
    else if (amount > 0n) dues.push({ mint, leaf, proof, amount });
    else faults.add('nothing-due');
  }
  if (dues.length > 0) return dues;
  if (faults.has('already-redeemed')) throw new NotRedeemable('already-redeemed');
  throw new NotRedeemable(faults.size === 0 ? 'proof-unfit' : 'nothing-due');
}

/** The transactions that take what is due out of the pool, each by itself. */
export const redeemTransactions = (
  dues: readonly Due[],
  terms: Pick<BalanceOwner, 'salt' | 'delivery'> & {
    readonly recipient: TransactionSigner;
    readonly payer?: TransactionSigner;
    readonly wallet: Address;
    /** The token program of each mint. */
    readonly programOf: ReadonlyMap<Address, Address>;
  },
): Promise<readonly Instruction[][]> => {
  const { programOf, ...rest } = terms;
  return Promise.all(
    dues.map(({ mint, leaf, proof }) => {
      const tokenProgram = programOf.get(mint);
      return redeemInstructions({ ...rest, mint, leaf, proof, ...(tokenProgram !== undefined && { tokenProgram }) });
    }),
  );
};
