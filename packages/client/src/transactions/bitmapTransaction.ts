import type { Address, TransactionPartialSigner } from '@solana/kit';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import { deriveProgramAddress } from '../accounts/programAddress.ts';
import { EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { concatenate } from '../bytes.ts';
import { type Batch, getOpenBitmapInstructionDataEncoder } from '../generated/index.ts';
import { BITMAP_PAGE_BITS, bitmapSize } from '../merkle/bitmap.ts';
import { remembering } from '../remembering.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { buildLayerTransaction } from './layerTransaction.ts';
import type { KeyedInstruction } from './legacyMessage.ts';

/** Bytes of a page of a bitmap before its bits. */
const BITMAP_HEAD_BYTES = 48;

const PREFIX = new TextEncoder().encode('bitmap');
const ACCOUNT_OVERHEAD_BYTES = 60;
const LAYER_LAMPORTS_PER_BYTE = 32;
/** Pages whose addresses are remembered: a window's claims, commit and settlement name the same ones, and to derive one takes 15 us. */
const REMEMBERED = 4_096;

/** What the addresses of a bitmap's pages follow from: a window of a schedule, and what its batch has drawn by chance. */
export type BitmapName = { readonly schedule: Address; readonly window: bigint } & Pick<Batch, 'bitmapNonce'>;

/** How many pages the bitmap of so many recipients has. */
export const bitmapPageCount = (recipients: number): number => Math.ceil(recipients / BITMAP_PAGE_BITS);

/** Lamports that a batch must hold so that it can pay for its bitmap in the execution layer; they come back when it is committed. */
export function bitmapRent(recipients: number): bigint {
  const bytes = bitmapPageCount(recipients) * (BITMAP_HEAD_BYTES + ACCOUNT_OVERHEAD_BYTES) + bitmapSize(recipients);
  return BigInt(LAYER_LAMPORTS_PER_BYTE * bytes);
}

const derived = remembering<{ readonly address: Address; readonly bump: number }>(REMEMBERED);

/** The address of a page of a window's bitmap, at once. */
export function deriveBitmapAddress(
  { schedule, window, bitmapNonce }: BitmapName,
  number: number,
  program: Address,
): { readonly address: Address; readonly bump: number } {
  return derived(`${program} ${schedule} ${window} ${bitmapNonce} ${number}`, () => {
    const numbers = new DataView(new ArrayBuffer(16));
    numbers.setBigUint64(0, window, true);
    numbers.setUint32(8, bitmapNonce, true);
    numbers.setUint32(12, number, true);
    const seeds = concatenate([PREFIX, addressToBytes(schedule), new Uint8Array(numbers.buffer)]);
    const { bytes, bump } = deriveProgramAddress(seeds, addressToBytes(program));
    return { address: addressFromBytes(bytes), bump };
  });
}

/** The addresses of all pages of a window's bitmap, in order. */
export function bitmapAddresses(of: BitmapName, recipients: number, program: Address): Address[] {
  return Array.from(
    { length: bitmapPageCount(recipients) },
    (_, number) => deriveBitmapAddress(of, number, program).address,
  );
}

/**
 * Who is paid or held back in an open window, a bit each. `pages`: the data of its bitmap's pages, in order; undefined for those that the
 * layer does not show. Undefined if one that was made is not shown.
 */
export function bitmapOf(
  { recipients, bitmapPages, heldCount, held }: Pick<Batch, 'recipients' | 'bitmapPages' | 'heldCount' | 'held'>,
  pages: readonly (Uint8Array | undefined)[],
): Uint8Array | undefined {
  const bitmap = new Uint8Array(bitmapSize(recipients));
  for (const index of held.slice(0, heldCount))
    bitmap[index >> 3] = (bitmap[index >> 3] as number) | (1 << (index & 7));
  for (let number = 0; number < bitmapPageCount(recipients); number++) {
    if (((bitmapPages >> number) & 1) === 0) continue;
    const page = pages[number];
    if (page === undefined) return undefined;
    bitmap.set(page.subarray(BITMAP_HEAD_BYTES), (number * BITMAP_PAGE_BITS) / 8);
  }
  return bitmap;
}

/** A bitmap to be made: how many recipients its window has, and the program. */
export type BitmapOpening = BitmapName & { readonly recipients: number; readonly programAddress: Address };

/** The accounts that a making names beside what is made: who signs and pays the fee, the program's settings, and the open window's, which pays the rent. */
export type OpeningAccounts = { readonly authority: Address; readonly config: Address; readonly batch: Address };

/** The making of a window's bitmap, all pages of it, and the keys that its message needs. What exists stays. */
export function openBitmapInstruction(
  { authority, config, batch }: OpeningAccounts,
  opening: BitmapOpening,
): KeyedInstruction {
  const { recipients, bitmapNonce: nonce, programAddress: program } = opening;
  const pages = Array.from({ length: bitmapPageCount(recipients) }, (_, number) => ({
    number: new Uint8Array(Uint32Array.of(number).buffer),
    ...deriveBitmapAddress(opening, number, program),
  }));
  const addresses = pages.map(({ address }) => address);
  return {
    program,
    accounts: [authority, config, batch, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, ...addresses],
    data: getOpenBitmapInstructionDataEncoder().encode({ nonce, seeds: pages }) as Uint8Array,
    writable: [batch, EPHEMERAL_VAULT_ADDRESS, ...addresses],
    readonly: [config, MAGIC_PROGRAM_ADDRESS],
  };
}

/** Input of `buildBitmapTransaction`. */
export type BitmapTransactionInput = BitmapOpening & {
  /** The execution authority; signs and pays. */
  readonly authority: TransactionPartialSigner;
  readonly config: Address;
  /** The window's, which is open; pays the rent. */
  readonly batch: Address;
  readonly lifetime: Lifetime;
  /** Compute units. */
  readonly computeUnitLimit: number;
};

/** Builds and signs the making of a window's bitmap, all pages of it. What exists stays. Throws `SIGNATURE_MISSING`. */
export function buildBitmapTransaction(input: BitmapTransactionInput): Promise<SignedTransaction> {
  const { authority, config, batch, lifetime, computeUnitLimit } = input;
  const opening = openBitmapInstruction({ authority: authority.address, config, batch }, input);
  return buildLayerTransaction(authority, { instructions: [opening], lifetime, computeUnitLimit });
}
