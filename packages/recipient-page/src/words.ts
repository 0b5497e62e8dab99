import {
  ClientError,
  isAddressText,
  type OwnToken,
  ownerOfPaymentCode,
  type StandingOrder,
  type WithdrawalUnderWay,
} from '@payouts/client';
import { amountText } from '@payouts/pages/format/amount';
import { durationText } from '@payouts/pages/format/time';
import { type AmountFault, readAmount } from '@payouts/payroll/amount';
import type { Address } from '@solana/kit';

/** "1,250.50 USDC". */
export const withName = (amount: bigint, { name, decimals }: Pick<OwnToken, 'name' | 'decimals'>): string =>
  `${amountText(amount, decimals)} ${name}`;

const FAULTS: Readonly<Record<AmountFault, string>> = {
  missing: 'Enter an amount.',
  invalid: 'Enter an amount such as 1,250.50.',
  negative: 'Enter an amount above zero.',
  zero: 'Enter an amount above zero.',
  decimals: 'That has more decimals than the token.',
  'too-large': 'That is more than there can be.',
};

/** Base units of an amount as people write it, or what is wrong with it. */
export function amountFrom(text: string, decimals: number): { readonly amount: bigint } | { readonly wrong: string } {
  const read = readAmount(text, decimals);
  return typeof read === 'bigint' ? { amount: read } : { wrong: FAULTS[read] };
}

/** A wallet's address, or what is wrong with it. */
export function walletFrom(text: string): { readonly wallet: Address } | { readonly wrong: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { wrong: 'Enter the address of a wallet.' };
  if (isAddressText(trimmed)) return { wallet: trimmed };
  return { wrong: 'This is no address: 32 to 44 letters and digits, without 0, O, I and l. Copy it from the wallet.' };
}

/** A payment code, or what is wrong with it. */
export function codeFrom(text: string): { readonly paymentCode: string } | { readonly wrong: string } {
  const paymentCode = text.trim();
  if (paymentCode === '') return { wrong: 'Enter a payment code.' };
  try {
    ownerOfPaymentCode(paymentCode);
    return { paymentCode };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { wrong: error.message };
  }
}

export const UNDER_WAY: Readonly<Record<WithdrawalUnderWay['state'], string>> = {
  waiting: 'Waits for its time',
  requested: 'Asked for',
  recorded: 'Recorded',
  issued: 'Being paid',
  paid: 'Paid',
};

export const partsText = (count: number): string => (count === 1 ? 'one part' : `${count} parts`);

/** How many parts of which size stand ready, in words. */
export const standingText = (
  { size, count }: { readonly size: bigint; readonly count: number },
  token: OwnToken,
): string =>
  `${count === 1 ? 'One part' : `${count} parts`} of ${withName(size, token)} stand${count === 1 ? 's' : ''} ready for your next pay.`;

const withZone = new Intl.DateTimeFormat(undefined, {
  ...({ weekday: 'short', day: 'numeric', month: 'short' } as const),
  ...({ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const),
});

/** When a round is, in the reader's time zone. */
export const roundTimeText = (at: number): string => withZone.format(at);

const MINUTE_MS = 60_000;

/** A standing order in words. */
export function orderText({ threshold, part, delayMinutes }: StandingOrder, token: OwnToken): string {
  const what = part === null ? 'everything goes out' : `${withName(part, token)} go out at a time`;
  const { most } = delayMinutes;
  const when = most === 0 ? '' : `, at a time drawn within ${durationText(most * MINUTE_MS)}`;
  return `From ${withName(threshold, token)} on, ${what}${when}`;
}
