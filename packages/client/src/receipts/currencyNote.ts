import type { MessagePartialSigner } from '@solana/kit';
import { toHex } from '#platform';
import { findVaultAddress } from '../accounts/addresses.ts';
import { ClientError } from '../http/clientError.ts';
import { JsonFields } from '../http/jsonFields.ts';
import type { Leaf } from '../merkle/tree.ts';
import { type Converted, CURRENCY, convertedAmount, isCurrencyAmount, isRate, RATE_SOURCE } from './conversion.ts';
import { type Issued, isIssued, issued, statementBytes } from './issued.ts';
import type { SignedWindow } from './window.ts';

/** What the employer says of a payslip's amount: what it is in a currency, at which rate. Signed by them alone; private as the payslip is. */
export type CurrencyNote = Converted & Issued;

/** What a note is about: an entry that a window paid. */
type Noted = { readonly leaf: Leaf; readonly settled: SignedWindow; readonly note?: CurrencyNote };

/** First line of what is signed: no ledger's transaction begins with these bytes. */
const HEADING = 'payouts currency note 1';
const FIELDS = ['currency', 'amount', 'rate', 'source'];
export const NOTE_FIELDS: readonly string[] = [...FIELDS, 'issuer', 'signature'];

/** What is signed: which entry of which list, what it is paid, and what that is in the currency. */
function statement({ leaf, settled }: Noted, { currency, amount, rate, source = '' }: Converted): Uint8Array {
  const { index, recipient, amount: paid } = leaf;
  const entry = [settled.program, settled.schedule, toHex(settled.root), index, recipient, paid];
  return statementBytes(HEADING, [...entry, currency, amount, rate, source]);
}

/** A payslip with the employer's note on its amount. Throws `SIGNATURE_MISSING`. */
export async function noted<P extends Noted>(
  payslip: P,
  converted: Converted,
  employer: MessagePartialSigner,
): Promise<P> {
  return { ...payslip, note: { ...converted, ...(await issued(statement(payslip, converted), employer)) } };
}

/** What is wrong with a payslip's note, each as a sentence; none: it is sound, or there is none. Needs no network. */
export async function noteFaults(payslip: Noted): Promise<string[]> {
  const { note, leaf, settled } = payslip;
  if (note === undefined) return [];
  const faults: string[] = [];
  if (convertedAmount(note.amount, note.rate, settled.decimals) !== leaf.amount) {
    faults.push('The amount in the currency does not give what was paid, at that rate.');
  }
  const vault = await findVaultAddress(note.issuer, settled.mint, { programAddress: settled.program });
  if (vault !== settled.vault) faults.push("The note on the currency is not by the vault's employer.");
  if (!(await isIssued(statement(payslip, note), note)))
    faults.push('The note on the currency is not what its issuer signed.');
  return faults;
}

/** What was converted, from JSON that is not trusted. Throws `INVALID_LIST`. */
export const convertedFromJson = (json: unknown): Converted =>
  convertedFrom(
    new JsonFields(
      json,
      '',
      FIELDS,
      (what) => new ClientError('INVALID_LIST', `This is no converted amount: ${what}.`),
    ),
  );

/** A note from a payslip's JSON. */
export const noteFrom = (fields: JsonFields): CurrencyNote => ({
  ...convertedFrom(fields),
  issuer: fields.address('issuer'),
  signature: fields.signature('signature'),
});

function convertedFrom(fields: JsonFields): Converted {
  const source = fields.raw('source') === undefined ? undefined : fields.matching('source', RATE_SOURCE, 'source');
  return {
    currency: fields.matching('currency', CURRENCY, 'currency'),
    amount: fields.passing('amount', isCurrencyAmount, 'amount in a currency'),
    rate: fields.passing('rate', isRate, 'rate'),
    ...(source !== undefined && { source }),
  };
}
