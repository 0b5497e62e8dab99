import { type OwnToken, ownTokens, type RecipientBalance } from '@payouts/client';
import { Failure } from './failure.ts';

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
