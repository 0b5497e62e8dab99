import {
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  type Transaction,
} from '@solana/kit';
import { Problem } from '../domain/problems.ts';

/** Bytes of the largest transaction that a ledger takes. */
const MAX_BYTES = 1_232;

/** A transaction that was sent here, taken apart. */
export type CanonicalTransaction = Pick<Transaction, 'messageBytes' | 'signatures'> & {
  readonly instructions: readonly Instruction[];
};

/** Reads a transaction in base 64 that is written in the one form, without lookup tables. Throws `invalid-transaction`. */
export function readCanonical(text: string): CanonicalTransaction {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > MAX_BYTES) throw invalidTransaction('It is longer than a transaction may be');
  if (bytes.toString('base64') !== text) throw invalidTransaction('It is not base 64');
  try {
    const transaction = getTransactionDecoder().decode(bytes);
    const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const isCanonical =
      sameBytes(getTransactionEncoder().encode(transaction) as Uint8Array, bytes) &&
      sameBytes(
        getCompiledTransactionMessageEncoder().encode(compiled) as Uint8Array,
        transaction.messageBytes as unknown as Uint8Array,
      );
    const instructions = decompileTransactionMessage(compiled).instructions as readonly Instruction[];
    if (isCanonical && instructions.every(isWhole)) return { ...transaction, instructions };
  } catch {
    // Said below: the decoder's own words repeat what was sent.
  }
  throw invalidTransaction('It is not a transaction in the form in which one is written, without lookup tables');
}

/** Whether all that an instruction names by its place is there: a number beyond the message's accounts names nothing. */
const isWhole = ({ programAddress, accounts = [] }: Instruction): boolean =>
  programAddress !== undefined && accounts.every((account) => account !== undefined);

export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** `invalid-transaction` with a sentence that repeats nothing of what was sent. */
export const invalidTransaction = (what: string): Problem => new Problem('invalid-transaction', `${what}.`);
