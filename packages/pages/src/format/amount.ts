import { displayAmount } from '@payouts/payroll/amount';

/** What is needed to write amounts of a token as people do; null: not known yet. */
export type Token = { readonly mint: string; readonly symbol: string | null; readonly decimals: number | null };

/** Base units as people write them, with at least so many decimals, two by default, where the token has them: "1,250.50". Exact. */
export const amountText = (baseUnits: string | bigint, decimals: number, least = 2): string =>
  displayAmount(BigInt(baseUnits), decimals, least);

/** What a token is called: its symbol, or else the ends of its mint's address. */
export const tokenName = ({ symbol, mint }: Pick<Token, 'symbol' | 'mint'>): string => symbol ?? shortAddress(mint);

/** "1,250.50 USDC"; in base units while nobody knows the token's decimals. */
export const tokenText = (baseUnits: string | bigint, token: Token): string =>
  token.decimals === null
    ? `${amountText(baseUnits, 0)} base units`
    : `${amountText(baseUnits, token.decimals)} ${tokenName(token)}`;

/** The ends of an address, by which people tell them apart: "7Ytt…j2G5". */
export const shortAddress = (address: string): string =>
  address.length <= 11 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`;

/** "1 window", "2,000 windows". */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
