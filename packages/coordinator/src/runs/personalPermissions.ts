import { PERMISSION_PROGRAM_ADDRESS, readPermission } from '@payouts/client';
import { toRunError } from '../domain/errors.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { StageContext } from './context.ts';
import { permit } from './permissions.ts';

/**
 * Has the permissions of pages and of the accounts that hold what recipients have asked name the present execution authority, where they name a
 * former one: else a successor would not see what is to be paid. A layer doesn't list what may not be read, and the addresses of these accounts
 * follow from what a page says: their permissions tell where they are. Once in a process, by the window that comes first.
 */
export async function permitPersonal(context: StageContext, at: WindowAddresses): Promise<void> {
  const { authority, layer, permissions, personalPermitted, log, signal } = context;
  if (personalPermitted.isDone || !(await permissions.areThere())) return;
  try {
    const all = await layer.programAccounts(PERMISSION_PROGRAM_ADDRESS, []);
    const stale = all.flatMap(({ data }) => {
      const { account, readers, isOfPayouts } = readPermission(data);
      return isOfPayouts && !readers.includes(authority.address) ? [account] : [];
    });
    // Anybody can have an account whose permission looks like that: it keeps none of ours from being set.
    if (stale.length > 0) await permit(context, at, stale, Number.POSITIVE_INFINITY);
    personalPermitted.isDone = true;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ code: toRunError(error).code }, 'read permissions of accounts could not be looked at');
  }
}
