import type { Address } from '@solana/kit';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import { deriveProgramAddress } from '../accounts/programAddress.ts';
import { EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { concatenate } from '../bytes.ts';
import { getOpenPagesInstructionDataEncoder } from '../generated/index.ts';
import type { OpeningAccounts } from './bitmapTransaction.ts';
import type { KeyedInstruction } from './legacyMessage.ts';
import { permissionsInstruction } from './permissions.ts';

/** Private balances in a page. */
export const PAGE_SLOTS = 240;
/** Where a page notes its balances' personal accounts, 2 bytes for each slot. */
export const PAGE_PERSONAL_AT = 56;
/** Bytes of a page before its slots, and of a slot: owner 32 ‖ amount u64. */
export const PAGE_HEAD_BYTES = 536;
export const SLOT_BYTES = 40;
/**
 * Pages that one transaction can make: the layer's trace holds 64 instructions, each page with its permission takes three, and others are a claim, the
 * making of its bitmap and a commit.
 */
export const MAX_PAGES_MADE = 16;

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

/** Pages to be made, at most `MAX_PAGES_MADE`. */
export type PageOpening = {
  readonly mint: Address;
  readonly pages: readonly PageName[];
  /** Whether the layer has read permissions: then nobody but the authority may read the pages, from the first moment on. */
  readonly isPrivate: boolean;
  readonly programAddress: Address;
};

/** The making of pages, and the keys that its message needs; nothing where there are none. What exists stays. */
export function openPagesInstructions(
  { authority, config, batch }: OpeningAccounts,
  { mint, pages, isPrivate, programAddress: program }: PageOpening,
): KeyedInstruction[] {
  if (pages.length === 0) return [];
  const made = pages.map((page) => ({ ...page, ...derivePageAddress(mint, page.nonce, program) }));
  const addresses = made.map(({ address }) => address);
  const seeds = made.map(({ nonce, number, bump }) => ({
    nonce,
    number: new Uint8Array(Uint32Array.of(number).buffer),
    bump,
  }));
  const opening: KeyedInstruction = {
    program,
    accounts: [authority, config, batch, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, ...addresses],
    data: getOpenPagesInstructionDataEncoder().encode({ seeds }) as Uint8Array,
    writable: [batch, EPHEMERAL_VAULT_ADDRESS, ...addresses],
    readonly: [config, MAGIC_PROGRAM_ADDRESS],
  };
  if (!isPrivate) return [opening];
  return [opening, permissionsInstruction({ authority, config, batch, subjects: addresses, program })];
}
