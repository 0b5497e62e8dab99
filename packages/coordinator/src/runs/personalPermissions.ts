import { addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import { ofMint, PERSONAL } from '../balances/personal.ts';
import { toRunError } from '../domain/errors.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { StageContext } from './context.ts';
import { permit, unpermitted } from './permissions.ts';

/**
 * Has the accounts that hold what a token's recipients have asked name the present execution authority, where they name a former one: else a
 * successor would not see what is to be paid. Once for each token in a process.
 */
export async function permitPersonal(context: StageContext, at: WindowAddresses, mint: Address): Promise<void> {
  const { layer, permissions, permittedTokens, program, log, signal } = context;
  if (permittedTokens.has(mint) || !(await permissions.areThere())) return;
  try {
    const accounts = await layer.programAccounts(program, [PERSONAL, ofMint(addressToBytes(mint))]);
    const { stale } = await unpermitted(
      context,
      accounts.map(({ address }) => address),
    );
    if (stale.length > 0) await permit(context, at, stale);
    permittedTokens.add(mint);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ code: toRunError(error).code }, 'read permissions of accounts could not be looked at');
  }
}
