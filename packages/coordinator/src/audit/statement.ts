import { availableOf } from '@payouts/client';
import type { LiabilitiesSum } from '../liabilities/proof.ts';
import type { Totals } from './read.ts';

const hex = (bytes: ArrayLike<number>): string => Buffer.from(Uint8Array.from(bytes)).toString('hex');

/** Whether the liabilities tree adds up to what the pool holds; undefined where this coordinator can't say. */
export const addsUp = (liabilities: LiabilitiesSum | undefined): boolean | undefined =>
  liabilities && liabilities.balances + liabilities.withdrawalsUnderWay + liabilities.openWindows === liabilities.held;

/** The statement for programs: amounts in base units as decimal text, hashes hexadecimal. */
export function statementJson(totals: Totals, liabilities: LiabilitiesSum | undefined) {
  const { address, schedule, windows, vault, pool, paidByOthers, paidByClosed, held, violations } = totals;
  const { deposited, withdrawn, reserved, open, paid } = vault;
  const amounts = { deposited, withdrawn, available: availableOf(vault), reserved, open, paid };
  return {
    schedule: address,
    windows: windows.map(({ window, paidCount, paidAmount, root, bitmapHash, settlement }) => ({
      window: String(window),
      paidCount,
      paidAmount: String(paidAmount),
      root: hex(root),
      bitmapHash: bitmapHash === undefined ? null : hex(bitmapHash),
      settlement,
    })),
    paidTotal: String(schedule.paidTotal),
    vault: {
      address: schedule.vault,
      ...texts(amounts),
      paidByOtherSchedules: String(paidByOthers),
      paidByClosedSchedules: String(paidByClosed),
    },
    pool: {
      mint: schedule.mint,
      ...texts({ movedIn: pool.movedIn, returned: pool.returned, paidOut: pool.paidOut, held }),
    },
    liabilityTree:
      liabilities === undefined
        ? null
        : { leaves: liabilities.leaves, ...texts(withoutLeaves(liabilities)), addsUp: addsUp(liabilities) },
    violations: violations.map(({ rule, sentence }) => ({ rule, sentence })),
  };
}

const withoutLeaves = ({ leaves: _, ...rest }: LiabilitiesSum) => rest;

function texts<const T extends Record<string, bigint>>(numbers: T): Record<keyof T, string> {
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)])) as Record<
    keyof T,
    string
  >;
}

/** The statement for people; amounts in base units. */
export function statementText(totals: Totals, liabilities: LiabilitiesSum | undefined): string[] {
  const { address, schedule, windows, vault, pool, paidByOthers, paidByClosed, held, violations } = totals;
  const { deposited, withdrawn, reserved, open, paid } = vault;
  const lines = [`Schedule ${address}: windows that are over ${windows.length}. Amounts in base units.`];
  for (const { window, paidCount, paidAmount, root, bitmapHash, settlement } of windows) {
    lines.push(
      `  window ${window}: paid ${paidAmount} to ${paidCount}`,
      `    root         ${hex(root)}`,
      `    bitmap hash  ${bitmapHash === undefined ? '– (reclaimed from a lost execution layer)' : hex(bitmapHash)}`,
      `    settled by   ${settlement}`,
    );
  }
  lines.push(
    `Sum of the windows ${windows.reduce((sum, { paidAmount }) => sum + paidAmount, 0n)}; the schedule's own total ${schedule.paidTotal}.`,
    `Vault ${schedule.vault}: deposited ${deposited} = withdrawn ${withdrawn} + available ${availableOf(vault)} + reserved ` +
      `${reserved} + in open windows ${open} + paid ${paid}.`,
    `  paid: by this schedule ${schedule.paidTotal}, by others ${paidByOthers}, by closed ones ${paidByClosed}`,
    `Pool of token ${schedule.mint}: holds ${held} = came in ${pool.movedIn} − returned ${pool.returned} − paid out ${pool.paidOut}.`,
  );
  if (liabilities === undefined) {
    lines.push('  Its liabilities tree is not in this database as the ledger has it, so nothing is said of that.');
  } else {
    lines.push(
      `  liabilities tree, recording ${liabilities.sequence}: private balances ${liabilities.balances} + withdrawals under way ${liabilities.withdrawalsUnderWay} + ` +
        `open windows ${liabilities.openWindows} ${addsUp(liabilities) ? '=' : '≠'} ${liabilities.held}`,
    );
  }
  lines.push(...violations.map(({ rule, sentence }) => `✖ ${sentence} (${rule})`));
  if (isRight(totals, liabilities)) lines.push('The totals add up.');
  return lines;
}

/** Nothing is wrong with what could be checked. */
export const isRight = ({ violations }: Totals, liabilities: LiabilitiesSum | undefined): boolean =>
  violations.length === 0 && addsUp(liabilities) !== false;
