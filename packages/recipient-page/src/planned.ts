import { heldOf, type OwnToken, type Part, planWithdrawal, TooLittle } from '@payouts/client';
import { amountFrom, withName } from './words.ts';

/** From which balances an amount comes, as people write it; or what is wrong with it. */
export function partsFrom(
  token: OwnToken,
  text: string,
): { readonly parts: readonly Part[]; readonly total: bigint } | { readonly wrong: string } {
  const read = amountFrom(text, token.decimals);
  if ('wrong' in read) return read;
  try {
    return { parts: planWithdrawal(token, read.amount), total: read.amount };
  } catch (error) {
    if (!(error instanceof TooLittle)) throw error;
    const { held, isUnderWay } = error;
    const why = isUnderWay && held < heldOf(token) ? ', until one of your withdrawals is paid' : '';
    return { wrong: `You can take out ${withName(held, token)} at most${why}.` };
  }
}
