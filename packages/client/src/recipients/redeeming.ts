import type { Address, Instruction, MaybeAccount, TransactionSigner } from '@solana/kit';
import {
  findConfigAddress,
  findPageAddress,
  findPoolAddress,
  findRedeemedPageAddress,
  findTokenAddress,
} from '../accounts/addresses.ts';
import { ledgerSeconds } from '../accounts/ledgerClock.ts';
import { TOKEN_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { isSameBytes } from '../bytes.ts';
import { fetchConfig, fetchMaybePage, fetchMaybeRedeemedPage, fetchPool } from '../generated/index.ts';
import { isBitSet, placeOfLiabilityLeaf, placeOfWithdrawal } from '../merkle/bitmap.ts';
import { type LiabilityBalanceLeaf, verifyLiabilityInclusion } from '../merkle/liabilities.ts';
import { type BalanceOwner, ownerRecord } from '../merkle/owner.ts';
import type { LiabilityProof } from '../receipts/liabilityProof.ts';
import { millisOf } from '../time.ts';
import type { BaseConnection, Ledgers } from '../transactions/connection.ts';
import { redeemInstructions } from '../transactions/instructions.ts';
import { feeFor } from '../transactions/send.ts';
import type { ProvenBalance } from './proofFile.ts';

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

/** What is due by one balance of a proof file. */
export type DueBalance = { readonly balance: ProvenBalance; readonly dues: readonly Due[] };

/** What is due by each balance of a proof file; `faults`: why others of them give nothing. */
export async function dueBalances(
  ledgers: Base,
  balances: readonly ProvenBalance[],
): Promise<{ readonly parts: readonly DueBalance[]; readonly faults: readonly RedeemFault[] }> {
  const parts: DueBalance[] = [];
  const faults = new Set<RedeemFault>();
  for (const balance of balances) {
    try {
      parts.push({ balance, dues: await duesOf(ledgers, balance, balance.proofs) });
    } catch (error) {
      if (!(error instanceof NotRedeemable)) throw error;
      faults.add(error.fault);
    }
  }
  return { parts, faults: [...faults] };
}

/** Where what is due goes, and who signs. */
export type RedeemTerms = {
  readonly recipient: TransactionSigner;
  readonly payer?: TransactionSigner;
  readonly wallet: Address;
  /** The token program of each mint. */
  readonly programOf: ReadonlyMap<Address, Address>;
};

/** The transactions that take what is due out of the pool, each by itself. */
export function redeemTransactions(
  parts: readonly DueBalance[],
  { programOf, ...terms }: RedeemTerms,
): Promise<readonly Instruction[][]> {
  const built = parts.flatMap(({ balance: { salt, delivery }, dues }) =>
    dues.map(({ mint, leaf, proof }) => {
      const tokenProgram = programOf.get(mint);
      const token = tokenProgram === undefined ? {} : { tokenProgram };
      return redeemInstructions({ ...terms, salt, delivery, mint, leaf, proof, ...token });
    }),
  );
  return Promise.all(built);
}

/** Bytes of an account that notes which leaves were redeemed. */
const REDEEMED_PAGE_BYTES = 64n + 1_024n;

/**
 * Lamports that these transactions take from whoever pays: the ledger's fees, and rent for the accounts that are not there yet, a wallet's
 * token account and one that notes what was redeemed. The payer need not have them.
 */
export async function redemptionCost(
  ledgers: BaseConnection,
  parts: readonly DueBalance[],
  transactions: readonly (readonly Instruction[])[],
  { payer, wallet, programOf }: Pick<RedeemTerms, 'wallet' | 'programOf'> & { readonly payer: Address },
): Promise<bigint> {
  const { base } = ledgers;
  const sizes = new Map<Address, bigint>();
  for (const { mint, leaf } of parts.flatMap(({ dues }) => dues)) {
    sizes.set(await findRedeemedPageAddress(mint, leaf.index), REDEEMED_PAGE_BYTES);
    const account = await findTokenAddress(wallet, mint, programOf.get(mint) ?? TOKEN_PROGRAM_ADDRESS);
    // As long as the pool's own: what a mint asks of token accounts it asks of all.
    if (!sizes.has(account)) sizes.set(account, await poolTokenBytes(ledgers, mint));
  }
  let total = 0n;
  for (const [address, bytes] of sizes) {
    const { value } = await base.getAccountInfo(address, { encoding: 'base64' }).send();
    if (value === null) total += await base.getMinimumBalanceForRentExemption(bytes).send();
  }
  for (const instructions of transactions) total += await feeFor(ledgers, instructions, payer);
  return total;
}

async function poolTokenBytes({ base }: Base, mint: Address): Promise<bigint> {
  const { data: pool } = await fetchPool(base, await findPoolAddress(mint), { commitment: 'finalized' });
  const { value } = await base.getAccountInfo(pool.tokenAccount, { encoding: 'base64' }).send();
  return value === null ? 0n : BigInt(value.space);
}
