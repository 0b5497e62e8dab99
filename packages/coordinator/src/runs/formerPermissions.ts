import { DELEGATION_PROGRAM_ADDRESS, PERMISSION_PROGRAM_ADDRESS, readPermission } from '@payouts/client';
import type { Address } from '@solana/kit';
import { toRunError } from '../domain/errors.ts';
import { readAccounts } from '../ledger/ledger.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { StageContext } from './context.ts';
import { permit } from './permissions.ts';

/**
 * Has the permissions of pages and of the accounts that hold what recipients have asked name the present execution authority, where they name a
 * former one: else a successor would not see what is to be paid. A layer doesn't list what may not be read, and the addresses of these accounts
 * follow from what a page says: their permissions tell where they are. Once in a process, by the window that comes first.
 */
export async function permitEverything(context: StageContext, at: WindowAddresses): Promise<void> {
  const { authority, layer, permissions, permitted, log, signal } = context;
  if (permitted.isDone || !(await permissions.areThere())) return;
  try {
    const all = await layer.programAccounts(PERMISSION_PROGRAM_ADDRESS, []);
    const stale = all.flatMap(({ data }) => {
      const { account, readers, isOfPayouts } = readPermission(data);
      return isOfPayouts && !readers.includes(authority.address) ? [account] : [];
    });
    const own = await withoutDelegated(context, stale);
    // Anybody can have an account whose permission looks like that: it keeps none of ours from being set.
    if (own.length > 0) await permit(context, at, own, Number.POSITIVE_INFINITY);
    permitted.isDone = true;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ code: toRunError(error).code }, 'read permissions of accounts could not be looked at');
  }
}

/**
 * Those that are not delegated from the base ledger: pages and personal accounts are of the layer alone, an open window's batch is not, and is
 * its own window's to set. That somebody has sent lamports to an address there says nothing.
 */
async function withoutDelegated({ base }: StageContext, accounts: readonly Address[]): Promise<Address[]> {
  const own: Address[] = [];
  await readAccounts(base, accounts, (address, account) => {
    if (account?.owner !== DELEGATION_PROGRAM_ADDRESS) own.push(address);
  });
  return own;
}
