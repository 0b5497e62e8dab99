import { derivePersonalAddress, nextTurn } from '@payouts/client';
import type { Address } from '@solana/kit';
import { toRunError } from '../domain/errors.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { PayableList } from '../lists/payableList.ts';
import type { StageContext } from './context.ts';
import { permit, unpermitted } from './permissions.ts';

/** Accounts that are looked at between two turns of the event loop: some ten milliseconds. */
const AT_ONCE = 400;

/** Lists that were looked at, as long as they are remembered. */
const looked = new WeakSet<PayableList>();

/**
 * Has the accounts that hold what a list's recipients have asked name the present execution authority, where they name a former one: else a
 * successor would not see what is to be paid. After the list was paid, and once in a process: of a long list that takes seconds.
 */
export async function permitPersonal(
  context: StageContext,
  at: WindowAddresses,
  mint: Address,
  payees: PayableList,
): Promise<void> {
  const { permissions, program, log, signal } = context;
  if (looked.has(payees) || !(await permissions.areThere())) return;
  try {
    for (let first = 0; first < payees.count; first += AT_ONCE) {
      await nextTurn();
      const count = Math.min(AT_ONCE, payees.count - first);
      const accounts = Array.from({ length: count }, (_, offset) =>
        derivePersonalAddress(mint, payees.ownerAt(first + offset), { variant: 0, programAddress: program }),
      );
      // One that has no permission is not there.
      const { stale } = await unpermitted(context, accounts);
      if (stale.length > 0) await permit(context, at, stale);
    }
    looked.add(payees);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ code: toRunError(error).code }, 'read permissions of accounts could not be looked at');
  }
}
