import { BankFileError } from './amounts.ts';

/** Tokens that stand for a currency, by their mints: what a token calls itself, anybody may choose. */
const CURRENCIES: Readonly<Record<string, string>> = {
  // USDC
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: 'USD',
  // USDC on devnet
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU': 'USD',
  // USDT
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: 'USD',
  // PYUSD
  '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo': 'USD',
  // EURC
  HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr: 'EUR',
};
const CODE = /^[A-Z]{3}$/;

/** The currency of a token's amounts in a bank's file: the one that is named, else a known token's. Throws `BankFileError` currency-unknown. */
export function currencyOf(mint: string, named?: string): string {
  const currency = named ?? CURRENCIES[mint];
  if (currency !== undefined && CODE.test(currency)) return currency;
  throw new BankFileError(
    'currency-unknown',
    named === undefined
      ? 'Which currency the token stands for is not known: name it, such as USD (--currency).'
      : 'A currency has three capital letters, such as USD.',
  );
}
