import type { Address } from '@solana/kit';
import { toHex } from '#platform';
import { isSameBytes } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';
import { JsonFields } from '../http/jsonFields.ts';
import { bitmapFromText, bitmapHash, bitmapSize, bitmapToText, countBits, isBitSet } from '../merkle/bitmap.ts';
import { MAX_LEAVES } from '../merkle/limits.ts';
import { SALT_BYTES } from '../merkle/owner.ts';
import { type Leaf, leafHash, verifyRange } from '../merkle/tree.ts';
import { type CurrencyNote, NOTE_FIELDS, noteFaults, noteFrom } from './currencyNote.ts';
import { WINDOW_FIELDS, windowFaults, windowFromFields, windowToJson } from './settledWindow.ts';
import type { SignedWindow } from './window.ts';

/**
 * What one window paid one entry of its list, and what proves it without the execution layer, the coordinator or a network. Private:
 * it holds the recipient's address, amount and salt.
 */
export type Payslip = {
  readonly leaf: Leaf;
  /** From the leaf to the window's root. */
  readonly proof: readonly Uint8Array[];
  /** Who was paid or held back, by index; the settlement left its hash on the base ledger. */
  readonly bitmap: Uint8Array;
  readonly settled: SignedWindow;
  /** What the employer says that the amount is in a currency, if they say so. */
  readonly note?: CurrencyNote;
};

/**
 * What is wrong with a payslip, each as a sentence that names nothing private; none: it is sound. Needs no network.
 *
 * @param authority the execution authority, where the verifier knows it; without it, whoever signed the settlement must have issued this
 */
export async function payslipFaults(payslip: Payslip, authority?: Address): Promise<string[]> {
  return [...(await windowFaults(payslip.settled, authority)), ...entryFaults(payslip), ...(await noteFaults(payslip))];
}

/** What is wrong with a payslip besides its window: for many payslips of one, which is checked once by `windowFaults`. */
export function entryFaults(payslip: Payslip): string[] {
  const faults = proofFaults(payslip);
  if (payslip.settled.held.includes(payslip.leaf.index)) faults.push('The employer held the entry back.');
  else if (isBitmapSettled(payslip) && entryState(payslip) === 'unpaid')
    faults.push('The window did not pay the entry.');
  return faults;
}

/** What is wrong with what proves an entry and its state besides their window, whether it was paid or not. */
export function proofFaults(payslip: Payslip): string[] {
  const faults: string[] = [];
  if (!isInList(payslip)) faults.push("The entry and its proof don't lead to the root of the window's list.");
  if (!isBitmapSettled(payslip)) faults.push('The bitmap is not the one that the window was settled with.');
  return faults;
}

/** What a window came to for an entry: held back by the employer, or unpaid because it could not be paid until the window was closed. */
export type EntryState = 'paid' | 'held' | 'unpaid';

/** What a window came to for an entry whose proof has no faults. */
export function entryState({ leaf: { index }, bitmap, settled }: Payslip): EntryState {
  if (settled.held.includes(index)) return 'held';
  return isBitSet(bitmap, index) ? 'paid' : 'unpaid';
}

function isInList({ leaf, proof, settled: { root, recipients } }: Payslip): boolean {
  if (recipients < 1 || recipients > MAX_LEAVES || leaf.index >= recipients) return false;
  return verifyRange({ root, leafCount: recipients, start: leaf.index, leafHashes: [leafHash(leaf)], proof });
}

function isBitmapSettled({ leaf, bitmap, settled }: Payslip): boolean {
  const { schedule, window, recipients, paidCount, held } = settled;
  const hash = bitmapHash({ schedule, window, bitmap });
  const isWhole = bitmap.length === bitmapSize(recipients) && leaf.index < recipients;
  const isHeldSet = held.every((index) => index < recipients && isWhole && isBitSet(bitmap, index));
  const isCounted = countBits(bitmap) === paidCount + held.length;
  return isWhole && isHeldSet && isCounted && isSameBytes(hash, settled.bitmapHash);
}

/** A payslip as JSON. */
export type PayslipJson = ReturnType<typeof payslipToJson>;

/** Writes a payslip: 64-bit numbers as decimal text, bytes as hexadecimal. */
export function payslipToJson({ leaf, proof, bitmap, settled, note }: Payslip) {
  return {
    payslip: 1 as const,
    leaf: {
      index: leaf.index,
      recipient: leaf.recipient as string,
      amount: leaf.amount.toString(),
      delivery: leaf.delivery,
      salt: toHex(leaf.salt),
    },
    proof: proof.map(toHex),
    bitmap: bitmapToText(bitmap),
    settled: windowToJson(settled),
    ...(note && { note: { ...note, issuer: note.issuer as string } }),
  };
}

/** A payslip from a source that is not trusted, as `payslipToJson` writes it. Throws `INVALID_PAYSLIP`, naming the field. */
export function payslipFromJson(json: unknown): Payslip {
  const refuse = (what: string) => new ClientError('INVALID_PAYSLIP', `This is no payslip: ${what}.`);
  const fields = new JsonFields(json, '', ['payslip', 'leaf', 'proof', 'bitmap', 'settled', 'note'], refuse);
  if (fields.raw('payslip') !== 1) throw refuse('"payslip" is not 1, the only version there is');
  const leaf = fields.object('leaf', ['index', 'recipient', 'amount', 'delivery', 'salt']);
  const index = leaf.count('index');
  if (index >= MAX_LEAVES) throw refuse('"leaf.index" is beyond every list');
  const bitmap = bitmapFromText(fields.raw('bitmap'));
  if (bitmap === undefined) throw refuse('"bitmap" is no bitmap in its one form');
  return {
    leaf: {
      index,
      recipient: leaf.address('recipient'),
      amount: leaf.u64('amount'),
      delivery: leaf.text('delivery', ['balance', 'wallet']),
      salt: leaf.bytes('salt', SALT_BYTES),
    },
    proof: fields.hashes('proof'),
    bitmap,
    settled: windowFromFields(fields.object('settled', WINDOW_FIELDS)),
    ...(fields.raw('note') !== undefined && { note: noteFrom(fields.object('note', NOTE_FIELDS)) }),
  };
}
