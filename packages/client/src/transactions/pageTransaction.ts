import type { Address, TransactionPartialSigner } from '@solana/kit';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import { deriveProgramAddress } from '../accounts/programAddress.ts';
import { EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS, PERMISSION_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { concatenate } from '../bytes.ts';
import { getOpenPagesInstructionDataEncoder } from '../generated/index.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { computeUnitLimitInstruction } from './computeBudget.ts';
import { signLayerMessage } from './layerTransaction.ts';
import { compileLegacyMessage, type RawInstruction } from './legacyMessage.ts';
import { derivePermissionAddress, permissionsInstruction } from './permissions.ts';

/** Private balances in a page. */
export const PAGE_SLOTS = 240;
/** Where a page notes its balances' personal accounts, 2 bytes for each slot. */
export const PAGE_PERSONAL_AT = 56;
/** Bytes of a page before its slots, and of a slot: owner 32 ‖ amount u64. */
export const PAGE_HEAD_BYTES = 536;
export const SLOT_BYTES = 40;
/** Pages that one transaction can make with their permissions: the layer's trace holds 64 instructions, and each page takes three. */
export const MAX_PAGES_MADE = 20;

const PAGE_BYTES = PAGE_HEAD_BYTES + PAGE_SLOTS * SLOT_BYTES;
const PREFIX = new TextEncoder().encode('balances');
const ACCOUNT_OVERHEAD_BYTES = 60;
const LAYER_LAMPORTS_PER_BYTE = 32;

/** A page of private balances: its number among its token's pages, and the nonce of 16 bytes that makes its address unguessable. */
export type PageName = { readonly number: number; readonly nonce: Uint8Array };

/** Lamports that a batch must hold so that it can pay for so many pages in the execution layer. */
export function pageRent(pages: number): bigint {
  return BigInt(pages * LAYER_LAMPORTS_PER_BYTE * (PAGE_BYTES + ACCOUNT_OVERHEAD_BYTES));
}

/** The address of a page of private balances, at once. */
export function derivePageAddress(
  mint: Address,
  nonce: Uint8Array,
  program: Address,
): { address: Address; bump: number } {
  const seeds = concatenate([PREFIX, addressToBytes(mint), nonce]);
  const { bytes, bump } = deriveProgramAddress(seeds, addressToBytes(program));
  return { address: addressFromBytes(bytes), bump };
}

/** Input of `buildPageTransaction`: at most 20 pages. */
export type PageTransactionInput = {
  /** The execution authority; signs and pays. */
  readonly authority: TransactionPartialSigner;
  readonly config: Address;
  /** Of an open window; pays the rent. */
  readonly batch: Address;
  readonly mint: Address;
  readonly pages: readonly PageName[];
  /** Whether the layer has read permissions: then nobody but the authority may read the pages, from the first moment on. */
  readonly isPrivate: boolean;
  readonly lifetime: Lifetime;
  readonly programAddress: Address;
  /** Compute units. */
  readonly computeUnitLimit: number;
};

/** Builds and signs the making of pages. What exists stays. Throws `TRANSACTION_TOO_LARGE` or `SIGNATURE_MISSING`. */
export async function buildPageTransaction(input: PageTransactionInput): Promise<SignedTransaction> {
  const { authority, config, batch, mint, isPrivate, lifetime, programAddress: program } = input;
  const pages = input.pages.map((page) => ({ ...page, ...derivePageAddress(mint, page.nonce, program) }));
  const addresses = pages.map(({ address }) => address);
  const seeds = pages.map(({ nonce, number, bump }) => ({
    nonce,
    number: new Uint8Array(Uint32Array.of(number).buffer),
    bump,
  }));
  const opening: RawInstruction = {
    program,
    accounts: [authority.address, config, batch, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, ...addresses],
    data: getOpenPagesInstructionDataEncoder().encode({ seeds }) as Uint8Array,
  };
  const setting = isPrivate
    ? [permissionsInstruction({ authority: authority.address, config, batch, subjects: addresses, program })]
    : [];
  const instructions = [computeUnitLimitInstruction(input.computeUnitLimit), opening, ...setting];
  const permissions = isPrivate ? addresses.map(derivePermissionAddress) : [];
  const message = compileLegacyMessage({
    signers: [authority.address],
    // As in a claim: the layer takes low program numbers only.
    writable: [
      ...instructions.slice(0, 2).map((each) => each.program),
      batch,
      EPHEMERAL_VAULT_ADDRESS,
      ...addresses,
      ...permissions,
    ],
    readonly: [config, MAGIC_PROGRAM_ADDRESS, ...(isPrivate ? [PERMISSION_PROGRAM_ADDRESS] : [])],
    blockhash: lifetime.blockhash,
    instructions,
  });
  return signLayerMessage(message, authority, lifetime);
}
