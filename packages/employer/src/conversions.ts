import type { Converted } from '@payouts/client';
import { currencyText, type PaidLine, rateText, sumOf } from '@payouts/payroll';
import { withName } from './amounts.ts';
import type { TokenInfo } from './token.ts';

type InCurrency = PaidLine & { readonly converted: Converted };

/** What lines in a currency come to at one rate. */
export type Conversion = Omit<Converted, 'amount'> & { readonly lines: readonly InCurrency[] };

/** Lines that are in a currency, by their rates. */
export function conversionsOf(lines: readonly PaidLine[]): Conversion[] {
  const found = new Map<string, InCurrency[]>();
  for (const line of lines) {
    if (line.converted === undefined) continue;
    const { currency, rate } = line.converted;
    const key = `${currency} ${rate}`;
    const own = { ...line, converted: line.converted };
    const known = found.get(key);
    if (known === undefined) found.set(key, [own]);
    else known.push(own);
  }
  return [...found.values()].map((own) => {
    const { amount: _, ...at } = (own[0] as InCurrency).converted;
    return { ...at, lines: own };
  });
}

/** What is converted, sentence by sentence: the promise is in tokens. */
export function conversionSentences(lines: readonly PaidLine[], token: TokenInfo): string[] {
  const conversions = conversionsOf(lines);
  if (conversions.length === 0) return [];
  return [
    ...conversions.map((each) => {
      const amounts = each.lines.map(({ converted }) => converted.amount);
      const who = amounts.length === 1 ? '1 amount' : `${amounts.length.toLocaleString('en')} amounts`;
      return `Converts ${who} of ${currencyText(each.currency, amounts)} in all, at ${rateText(each, token.name)}: ${withName(sumOf(each.lines), token)}.`;
    }),
    'Each is rounded once, to the nearest base unit of the token. The tokens are what you promise, in every window, until you replace the list.',
  ];
}

/** "2,000.00 EUR → 2,166.80 USDC" */
export const conversionText = ({ amount, converted }: InCurrency, token: TokenInfo): string =>
  `${currencyText(converted.currency, [converted.amount])} → ${withName(amount, token)}`;
