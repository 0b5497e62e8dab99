import { CURRENCY } from '@payouts/client/browser';
import type { Address } from '@solana/kit';
import { codeOf, headerCurrency, isOfCurrency } from './currency.ts';
import type { PayrollProblem } from './problems.ts';
import type { PayRate } from './rate.ts';

/** A token that lines may be paid in. */
export type PayrollToken = { readonly mint: Address; readonly name: string; readonly decimals: number };

/** What a line's amount is in. */
export type LineMoney = {
  /** Of the token. */
  readonly decimals: number;
  /** Where the file may have several. */
  readonly mint?: Address;
  /** Where the amount is in a currency: it is converted. */
  readonly rate?: PayRate;
};

/** Why nobody knows what a line's amount is in. */
export type MoneyFault = Pick<PayrollProblem, 'code' | 'message' | 'question'>;

/** What says it: tokens and rates, and the currency that the amounts' column names. */
export type MoneyRules = {
  readonly decimals: number;
  /** What the token is called, where there is one. */
  readonly token?: string | undefined;
  readonly tokens?: readonly PayrollToken[] | undefined;
  readonly rates?: readonly PayRate[] | undefined;
};

/** Tells by a payroll's columns which token each line is paid in, and at which rate. */
export class MoneyColumns {
  /** By what the two columns say. */
  readonly #found = new Map<string, LineMoney | MoneyFault>();
  /** Rates that lines have, and the token each is used for. */
  readonly #used = new Map<PayRate, string>();

  constructor(
    private readonly rules: MoneyRules,
    private readonly header: string,
  ) {}

  /** What a line is paid in, by its fields. */
  of(token: string, currency: string): LineMoney | MoneyFault {
    const key = token === '' && currency === '' ? '' : `${token}\n${currency}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const money = this.#look(token.trim(), currency.trim());
    this.#found.set(key, money);
    return money;
  }

  /** Rates that no line has: what they are for was not found, so something is not as the employer thinks. */
  unused(): PayrollProblem[] {
    return (this.rules.rates ?? [])
      .filter((rate) => !this.#used.has(rate))
      .map((rate) => ({
        code: 'rate-unused' as const,
        message: `No line is in ${pairOf(rate)}, and there is a rate for it. Leave the rate out, or name the currency in the file.`,
      }));
  }

  #look(text: string, written: string): LineMoney | MoneyFault {
    const token = this.#tokenOf(text);
    if ('code' in token) return token;
    const { name, decimals, mint } = token;
    const paid = { decimals, ...(mint !== undefined && { mint }) };
    const isOwn = written !== '';
    const currency = isOwn ? codeOf(written) : headerCurrency(this.header);
    if (currency === undefined || written.toLowerCase() === name.toLowerCase()) return paid;
    if (!CURRENCY.test(currency)) {
      return { code: 'currency-invalid', message: 'The currency is not written with its letters, such as EUR.' };
    }
    const rate = this.#rateFor(currency, token);
    if (rate !== undefined) return this.#use(rate, token) ?? { ...paid, rate };
    // A header's currency without any rate is asked about, as what the employer calls the token.
    if (isOfCurrency(currency, name) || (!isOwn && (this.rules.rates ?? []).length === 0)) return paid;
    const message = `The amount is in ${currency}, and ${name} is paid. Give the rate at which it is converted.`;
    return { code: 'rate-missing', message, question: { option: 'rate', currency } };
  }

  #tokenOf(text: string): { readonly name: string; readonly decimals: number; readonly mint?: Address } | MoneyFault {
    const { tokens, token = '', decimals } = this.rules;
    if (tokens === undefined) return { name: token, decimals };
    if (text === '') {
      const [only, ...others] = tokens;
      if (only !== undefined && others.length === 0) return only;
      return { code: 'token-missing', message: 'The line does not name its token, and there are several.' };
    }
    const found = tokens.filter(({ mint, name }) => mint === text || name.toLowerCase() === text.toLowerCase());
    const [named, ...others] = found.some(({ mint }) => mint === text) ? found.slice(0, 1) : found;
    if (named === undefined) {
      const message =
        'The token is not the one that is paid here, or there is no vault of it. Write what it calls itself, or its mint’s address.';
      return { code: 'token-unknown', message };
    }
    if (others.length === 0) return named;
    return { code: 'token-unclear', message: 'Several of your tokens call themselves so: write the mint’s address.' };
  }

  #rateFor(currency: string, { name, mint }: { readonly name: string; readonly mint?: Address }): PayRate | undefined {
    const rates = (this.rules.rates ?? []).filter((rate) => rate.currency === currency);
    const isNamed = ({ token }: PayRate) => token === mint || token?.toLowerCase() === name.toLowerCase();
    return (
      rates.find((rate) => rate.token !== undefined && isNamed(rate)) ?? rates.find((rate) => rate.token === undefined)
    );
  }

  /** Notes that a rate is used. One that names no token is for one token: 1 EUR is not as many of any. */
  #use(rate: PayRate, { name, mint = '' }: { readonly name: string; readonly mint?: string }): MoneyFault | undefined {
    const before = this.#used.get(rate);
    this.#used.set(rate, before ?? mint);
    if (before === undefined || before === mint) return undefined;
    const message = `Amounts in ${rate.currency} are paid in several tokens: give a rate for each, such as ${rate.currency}/${name}.`;
    return { code: 'rate-unclear', message };
  }
}

const pairOf = ({ currency, token }: PayRate): string => (token === undefined ? currency : `${currency} and ${token}`);
