import type { Token } from '@payouts/pages/format/amount';
import type { Schedule } from '../api/types.ts';

/** The token of a schedule, as far as it is known. */
export const tokenOf = ({ mint, token }: Pick<Schedule, 'mint' | 'token'>): Token => ({
  mint,
  symbol: token?.symbol ?? null,
  decimals: token?.decimals ?? null,
});
