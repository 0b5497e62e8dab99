import { type Converted, CURRENCY_DECIMALS } from '@payouts/client/browser';
import { displayAmount, readAmount } from './amount.ts';

/** The smallest units that an amount in a currency is written with. */
const unitsOf = (amount: string): bigint => {
  const units = readAmount(amount, CURRENCY_DECIMALS);
  return typeof units === 'bigint' ? units : 0n;
};

/** Amounts in one currency together: "4,500.00 EUR". */
export function currencyText(currency: string, amounts: readonly string[]): string {
  const units = amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n);
  return `${displayAmount(units, CURRENCY_DECIMALS, 2)} ${currency}`;
}

/** "1 EUR = 1.0834 USDC (ECB 2026-11-27)" */
export const rateText = ({ currency, rate, source }: Omit<Converted, 'amount'>, token: string): string =>
  `1 ${currency} = ${rate} ${token}${source === undefined ? '' : ` (${source})`}`;
