/** Currencies that a header may name, by what people write for them. */
const CURRENCIES =
  /(?<![\p{L}\p{N}])(USDC|USDT|USDG|PYUSD|EURC|SOL|USD|EUR|GBP|CHF|JPY|CNY|INR|BRL|MXN|CAD|AUD|NZD|SGD|HKD|KRW|SEK|NOK|DKK|PLN|CZK|HUF|ZAR|TRY|AED|ILS)(?![\p{L}\p{N}])|[$€£¥₹]/u;
const SIGNS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR' };

/** A header without the currency that it names: "Salary CHF" and "Net pay in USD" are a salary and a net pay. */
export const withoutCurrency = (header: string): string => {
  const [named = ''] = CURRENCIES.exec(header) ?? [];
  return named === '' ? header : header.replace(named, ' ').replace(/\s(?:in|en)\s*$/i, ' ');
};

/** The letters of a currency that is written with its letters or its sign. */
export const codeOf = (text: string): string => SIGNS[text] ?? text.toUpperCase();

/** The letters of the currency that a header names; undefined: none. */
export function headerCurrency(header: string): string | undefined {
  const named = CURRENCIES.exec(header)?.[0];
  return named === undefined ? undefined : codeOf(named);
}

/** Whether amounts in a currency are as many tokens: USD goes with USDC. */
export function isOfCurrency(code: string, token: string): boolean {
  const symbol = token.toUpperCase();
  return symbol.includes(code) || code.includes(symbol);
}

/** The currency that an amount's header names, if it is another one than the token's. */
export function otherCurrency(header: string, token: string): string | undefined {
  const named = CURRENCIES.exec(header)?.[0];
  if (named === undefined) return undefined;
  return isOfCurrency(SIGNS[named] ?? named, token) ? undefined : named;
}
