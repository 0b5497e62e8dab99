import {
  addressToBytes,
  type Converted,
  CURRENCY_DECIMALS,
  convertedAmount,
  isAddressText,
  MAX_U64,
  type PayoutDelivery,
} from '@payouts/client/browser';
import type { Address } from '@solana/kit';
import { type AmountFault, type AmountStyle, formatAmount, readAmount } from './amount.ts';
import type { PayrollProblem, PayrollProblemCode } from './problems.ts';
import type { PayRate } from './rate.ts';

/** One line of a payroll: who is paid and how much, in base units of the token. */
export type PayrollLine = {
  readonly line: number;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly delivery?: PayoutDelivery;
  /** Where the file may have several: which token. */
  readonly token?: Address;
  /** Where the file has it in a currency: how much, and the rate at which `amount` follows from it. */
  readonly converted?: Converted;
};

/** What a line pays, wherever it comes from. */
export type PaidLine = Omit<PayrollLine, 'line' | 'token'>;

/** What the fields of a line may say. */
export type LineRules = {
  /** Decimals of the token. */
  readonly decimals: number;
  /** How the file writes its amounts. */
  readonly style: AmountStyle;
  /** Where the file may have several: which token. */
  readonly mint?: Address;
  /** At which amounts in a currency are converted. */
  readonly rate?: PayRate;
  /** Addresses that are nobody's wallet, such as the vault's own, and what they are. */
  readonly refused?: ReadonlyMap<string, string>;
  /** Told each recipient that is an address, as 32 bytes. */
  readonly onRecipient?: (line: number, address: Uint8Array) => void;
};

const ALPHABET = /[^1-9A-HJ-NP-Za-km-z]/;
const ADDRESS_CHARACTERS = { least: 32, most: 44 };
const DELIVERIES: readonly string[] = ['balance', 'wallet'];

/** One line's fields, or everything that is wrong with them. */
export function readLine(
  line: number,
  fields: { readonly recipient: string; readonly amount: string; readonly delivery: string },
  rules: LineRules,
): PayrollLine | PayrollProblem[] {
  const problems: PayrollProblem[] = [];
  const wrong = (code: PayrollProblemCode, message: string) => problems.push({ code, line, message });
  const recipient = fields.recipient.trim();
  if (recipient === '') wrong('recipient-missing', 'The recipient is missing.');
  else if (!isAddressText(recipient))
    wrong('recipient-invalid', `The recipient is not an address: ${flawOf(recipient)}.`);
  else {
    rules.onRecipient?.(line, addressToBytes(recipient));
    const what = rules.refused?.get(recipient);
    if (what !== undefined) wrong('recipient-refused', `The recipient is ${what}, not a recipient's wallet.`);
  }
  const { mint: token, rate, decimals } = rules;
  const read = readAmount(fields.amount, rate === undefined ? decimals : CURRENCY_DECIMALS, rules.style);
  const converted = rate === undefined || typeof read === 'string' ? undefined : convertedAt(rate, read);
  const amount = converted === undefined ? read : inTokens(converted, decimals);
  if (typeof amount === 'string') wrong(`amount-${amount}`, amountSentences(rules)[amount]);
  const delivery = fields.delivery.trim().toLowerCase();
  if (delivery !== '' && !DELIVERIES.includes(delivery)) {
    wrong('delivery-unknown', 'The delivery is neither "balance" (the default) nor "wallet".');
  }
  if (problems.length > 0) return problems;
  const paid = { line, recipient: recipient as Address, amount: amount as bigint, ...(token && { token }) };
  if (delivery !== 'wallet' && converted === undefined) return paid;
  return { ...paid, ...(delivery === 'wallet' && { delivery }), ...(converted && { converted }) };
}

/** An amount in a currency as it is paid: what it says, and at which rate. */
const convertedAt = ({ currency, rate, source }: PayRate, units: bigint): Converted => ({
  ...{ currency, amount: formatAmount(units, CURRENCY_DECIMALS), rate },
  ...(source !== undefined && { source }),
});

/** Base units of the token, or why they are no amount. */
function inTokens({ amount, rate }: Converted, decimals: number): bigint | AmountFault {
  const units = convertedAmount(amount, rate, decimals) ?? 0n;
  if (units === 0n) return 'zero';
  return units > MAX_U64 ? 'too-large' : units;
}

/** What is wrong with a line whose recipient is no point of the curve. */
export const unsignableProblem = (line: number): PayrollProblem => ({
  code: 'recipient-unsignable',
  line,
  message:
    "The recipient is a program's address (a multisig's vault, a token account): nobody could sign to take the money out. Ask for a wallet.",
});

/** A bank's account, as it is written between computers. */
const IBAN = /^[A-Z]{2}\d{2}[A-Za-z0-9]{11,30}$/;

/** Why a text is no address, without repeating it. */
function flawOf(text: string): string {
  if (IBAN.test(text))
    return 'it is an IBAN, an account at a bank. Recipients are paid to a wallet: ask for its address';
  const place = ALPHABET.exec(text)?.index;
  if (place !== undefined) {
    return `character ${place + 1} does not occur in addresses, which have digits and letters but 0, O, I and l`;
  }
  const { least, most } = ADDRESS_CHARACTERS;
  if (text.length < least || text.length > most) {
    return `it has ${text.length} characters, an address has ${least} to ${most}`;
  }
  return 'it does not stand for 32 bytes; copy it again';
}

const amountSentences = ({
  decimals,
  rate,
}: Pick<LineRules, 'decimals' | 'rate'>): Readonly<Record<AmountFault, string>> => ({
  missing: 'The amount is missing.',
  invalid: 'The amount is not a number such as 1250.50 or 1,250.50 (digits only, no currency).',
  negative: 'The amount is negative. A payroll pays; corrections belong into the next amount.',
  zero: 'The amount is zero. Leave the line out.',
  decimals: rate
    ? `The amount in ${rate.currency} has more than ${CURRENCY_DECIMALS} decimals.`
    : `The amount has more than ${decimals} decimals, which the token can't express.`,
  'too-large': 'The amount is larger than a ledger can hold.',
});
