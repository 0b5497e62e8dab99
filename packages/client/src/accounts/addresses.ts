import type { Address } from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  findApprovalPda,
  findBatchPda,
  findConfigPda,
  findCounterPda,
  findDelegationBufferPda,
  findDelegationMetadataPda,
  findDelegationRecordPda,
  findPagePda,
  findPoolPda,
  findRedeemedPagePda,
  findSchedulePda,
  findSponsorPda,
  findVaultPda,
  findWhitelistEntryPda,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '../generated/index.ts';
import { getProgramDerivedAddress } from '../generatedSupport.ts';
import { placeOfLiabilityLeaf, placeOfWithdrawal } from '../merkle/bitmap.ts';
import { personalNonce } from '../merkle/personal.ts';
import { addressFromBytes, addressToBytes } from './base58.ts';
import { deriveProgramAddress } from './programAddress.ts';
import { TOKEN_PROGRAM_ADDRESS, UPGRADEABLE_LOADER_ADDRESS } from './programs.ts';

const PERSONAL_SEED = new TextEncoder().encode('personal');

/** Which deployment of the ledger program an address belongs to; the published one by default. */
export type Deployment = { readonly programAddress?: Address };

/** The config: one for each deployment. */
export async function findConfigAddress(deployment: Deployment = {}): Promise<Address> {
  return (await findConfigPda(deployment))[0];
}

/** The pool of a token. */
export async function findPoolAddress(mint: Address, deployment: Deployment = {}): Promise<Address> {
  return (await findPoolPda({ mint }, deployment))[0];
}

/** An employer's vault of a token. */
export async function findVaultAddress(
  employer: Address,
  mint: Address,
  deployment: Deployment = {},
): Promise<Address> {
  return (await findVaultPda({ employer, mint }, deployment))[0];
}

/** The schedule of a vault with the employer's number `id`. */
export async function findScheduleAddress(vault: Address, id: bigint, deployment: Deployment = {}): Promise<Address> {
  return (await findSchedulePda({ vault, id }, deployment))[0];
}

/** Ids of a vault's schedules that are looked at one by one, at most: of more, a node must list accounts. */
export const MOST_IDS = 1_000n;

/** Where the schedules of a vault with ids below `nextId` are, or were until they were closed: any node shows accounts by their addresses. */
export function schedulesById(vault: Address, nextId: bigint, deployment: Deployment = {}): Promise<Address[]> {
  const ids = Array.from({ length: Number(nextId) }, (_, id) => BigInt(id));
  return Promise.all(ids.map((id) => findScheduleAddress(vault, id, deployment)));
}

/** The batch that belongs to a schedule. */
export async function findBatchAddress(schedule: Address, deployment: Deployment = {}): Promise<Address> {
  return (await findBatchPda({ schedule }, deployment))[0];
}

/** The counter of a token's withdrawals, in the execution layer. */
export async function findCounterAddress(mint: Address, deployment: Deployment = {}): Promise<Address> {
  return (await findCounterPda({ mint }, deployment))[0];
}

/** An account of what a recipient asks of a balance: its number among those of the balance, and its address, which follows from that. */
export type PersonalName = { readonly number: number; readonly address: Address };

/** The account of what a recipient asks of a balance of a token, by the balance's key of 16 bytes (`personalKey`) and its number. */
export function personalNamed(
  mint: Address,
  key: Uint8Array,
  number: number,
  { programAddress = PAYOUT_LEDGER_PROGRAM_ADDRESS }: Deployment = {},
): PersonalName {
  return { number, address: derivePersonalAddress(mint, personalNonce(key, number), programAddress) };
}

/** The address of an account for what a recipient asks, by its nonce, at once. */
export function derivePersonalAddress(mint: Address, nonce: Uint8Array, program: Address): Address {
  const seeds = Uint8Array.of(...PERSONAL_SEED, ...addressToBytes(mint), ...nonce);
  return addressFromBytes(deriveProgramAddress(seeds, addressToBytes(program)).bytes);
}

/** The page in which the base ledger marks withdrawal `number` of a token. */
export async function findPageAddress(mint: Address, number: bigint, deployment: Deployment = {}): Promise<Address> {
  return (await findPagePda({ mint, page: placeOfWithdrawal(number).page }, deployment))[0];
}

/** The page in which the base ledger marks leaf `index` of a token's liabilities tree as redeemed. */
export async function findRedeemedPageAddress(
  mint: Address,
  index: number,
  deployment: Deployment = {},
): Promise<Address> {
  return (await findRedeemedPagePda({ mint, page: placeOfLiabilityLeaf(index).page }, deployment))[0];
}

/** The whitelist entry of an employer or a mint, whether it exists or not. */
export async function findWhitelistEntryAddress(subject: Address, deployment: Deployment = {}): Promise<Address> {
  return (await findWhitelistEntryPda({ subject }, deployment))[0];
}

/** The approval policy of a vault, whether it exists or not. */
export async function findApprovalAddress(vault: Address, deployment: Deployment = {}): Promise<Address> {
  return (await findApprovalPda({ vault }, deployment))[0];
}

/** The system account that pays, in lamports, for a token's pages and for the token accounts that its withdrawals open. */
export async function findSponsorAddress(mint: Address, deployment: Deployment = {}): Promise<Address> {
  return (await findSponsorPda({ mint }, deployment))[0];
}

/** The three accounts that delegating `delegated`, a batch or a counter, needs. */
export async function findDelegationAddresses(
  delegated: Address,
  deployment: Deployment = {},
): Promise<{ buffer: Address; delegationRecord: Address; delegationMetadata: Address }> {
  const [[buffer], [delegationRecord], [delegationMetadata]] = await Promise.all([
    findDelegationBufferPda({ delegated }, deployment),
    findDelegationRecordPda({ delegated }),
    findDelegationMetadataPda({ delegated }),
  ]);
  return { buffer, delegationRecord, delegationMetadata };
}

/** The associated token account of `owner`: a pool, a vault or a wallet. */
export async function findTokenAddress(
  owner: Address,
  mint: Address,
  tokenProgram: Address = TOKEN_PROGRAM_ADDRESS,
): Promise<Address> {
  const seeds = [owner, tokenProgram, mint].map(addressToBytes);
  return (await getProgramDerivedAddress({ programAddress: ASSOCIATED_TOKEN_PROGRAM_ADDRESS, seeds }))[0];
}

/** The account that names a program's upgrade authority. */
export async function findProgramDataAddress(program: Address): Promise<Address> {
  const seeds = [addressToBytes(program)];
  return (await getProgramDerivedAddress({ programAddress: UPGRADEABLE_LOADER_ADDRESS, seeds }))[0];
}
