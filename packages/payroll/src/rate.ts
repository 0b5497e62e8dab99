import { CURRENCY, isRate, RATE_SOURCE } from '@payouts/client/browser';
import { PayrollError, type PayrollProblem } from './problems.ts';

/** How much of a token 1 of a currency is, as the employer says. */
export type PayRate = {
  /** Such as EUR. */
  readonly currency: string;
  /** Name or mint of the token, where it is said for one of several. */
  readonly token?: string;
  /** Decimal text: 1.0834. */
  readonly rate: string;
  /** Where the employer has it from. */
  readonly source?: string;
};

const WRITTEN = /^([^/=]+)(?:\/([^=]+))?=(.+)$/;
/** Reads rates as people give them: EUR=1.0834, or EUR/USDC=1.0834. Throws `PayrollError` rate-invalid, rate-twice or rate-source. */
export function readRates(written: readonly string[], source?: string): PayRate[] {
  const problems: PayrollProblem[] = [];
  if (source !== undefined && (written.length === 0 || !RATE_SOURCE.test(source.trim()))) {
    const message =
      written.length === 0
        ? 'A source goes with a rate, and there is none.'
        : 'The source of the rates has up to 60 letters, digits and signs, such as ECB 2026-11-27.';
    problems.push({ code: 'rate-source', message });
  }
  const rates = new Map<string, PayRate>();
  for (const text of written) {
    const rate = rateOf(text, source?.trim());
    if (rate === undefined) {
      const message =
        'A rate says how many tokens 1 of a currency is: EUR=1.0834, or EUR/USDC=1.0834. It is above zero and has 12 decimals at most, behind a point.';
      problems.push({ code: 'rate-invalid', message });
      continue;
    }
    const pair = `${rate.currency}/${rate.token ?? ''}`;
    if (rates.has(pair)) problems.push({ code: 'rate-twice', message: `There are two rates for ${rate.currency}.` });
    rates.set(pair, rate);
  }
  if (problems.length > 0) throw new PayrollError(problems);
  return [...rates.values()];
}

function rateOf(text: string, source: string | undefined): PayRate | undefined {
  const [, named = '', token, number = ''] = WRITTEN.exec(text.trim()) ?? [];
  const [currency, rate] = [named.trim().toUpperCase(), number.trim()];
  if (!CURRENCY.test(currency) || !isRate(rate)) return undefined;
  return { currency, rate, ...(token && { token: token.trim() }), ...(source && { source }) };
}
