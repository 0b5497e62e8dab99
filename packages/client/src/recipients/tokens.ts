import type { Address } from '@solana/kit';
import type { RecipientBalance } from '../http/recipientClient.ts';

/** A token in which a recipient has balances. */
export type OwnToken = {
  readonly mint: Address;
  /** What it is called here: its symbol, or the ends of its address where it has none or another one has the same. */
  readonly name: string;
  /** What names it where it is chosen: its symbol, or its whole address. */
  readonly handle: string;
  readonly decimals: number;
  readonly balances: readonly RecipientBalance[];
};

/** Balances by token, in the order in which they come. */
export function ownTokens(balances: readonly RecipientBalance[]): OwnToken[] {
  const mints = [...new Set(balances.map(({ mint }) => mint))];
  const tokens = mints.map((mint) => {
    const own = balances.filter((balance) => balance.mint === mint);
    const { symbol, decimals } = own[0] as RecipientBalance;
    return { mint, symbol, decimals, balances: own };
  });
  return tokens.map(({ symbol, ...token }) => {
    const isItsOwn = symbol !== null && tokens.filter((other) => other.symbol === symbol).length === 1;
    const { mint } = token;
    if (isItsOwn) return { ...token, name: symbol, handle: symbol };
    return { ...token, name: `${mint.slice(0, 4)}…${mint.slice(-4)}`, handle: mint };
  });
}

/** Base units that can be taken out of a token's balances. */
export const heldOf = ({ balances }: Pick<OwnToken, 'balances'>): bigint =>
  balances.reduce((sum, { amount }) => sum + amount, 0n);
