import { readTokens } from '@payouts/employer';
import { WrongUsage } from './failure.ts';

export { showTokens, withName } from '@payouts/employer';

/**
 * Base units of an amount of tokens as people write it: "1,250.50" with 6 decimals is 1250500000.
 *
 * @throws WrongUsage when it isn't one, is zero, has more decimals than the token, or is larger than a ledger can hold
 */
export function parseTokens(text: string, decimals: number): bigint {
  const read = readTokens(text, decimals);
  if (typeof read === 'bigint') return read;
  throw new WrongUsage(read);
}
