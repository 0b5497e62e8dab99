import type { RecipientBalance } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure } from './failure.ts';

/** A token in which a recipient has balances. */
export type OwnToken = {
  readonly mint: Address;
  /** What it is called here: its symbol, or the ends of its address where it has none or another one has the same. */
  readonly name: string;
  /** What `--token` takes for it: its symbol, or its whole address. */
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

/** The token that a command is about: the one named by symbol or address, else the only one. Throws `Failure`. */
export function chosenToken(balances: readonly RecipientBalance[], named: string | undefined): OwnToken {
  const tokens = ownTokens(balances);
  const [only, ...others] = tokens;
  if (only === undefined) {
    throw new Failure('no-balance', 'This key has no balance here: no list of this coordinator pays it.');
  }
  const names = tokens.map(({ handle }) => handle).join(', ');
  if (named === undefined) {
    if (others.length === 0) return only;
    throw new Failure('token-unnamed', `You have several tokens: name one with --token (${names}).`);
  }
  const found = tokens.find(({ mint, handle }) => named === mint || named.toLowerCase() === handle.toLowerCase());
  if (found === undefined) throw new Failure('token-unknown', `You have no balance of ${named}; you have: ${names}.`);
  return found;
}
