import { isAddressText } from '@payouts/client';
import { findStored, forgetHistory, forgetListsOf, vacuumLists } from '../store/queries/deletion.ts';
import { forgetGrantsOf } from '../store/queries/grants.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** Without its list no window of the schedule can be paid any more, until the list is registered again. */
export const schedulesDelete = command({
  synopsis: 'ADDRESS [--yes] [--history] [--force]',
  summary:
    "forgets a schedule's recipients for good; --history: its runs too; --yes: really; --force: even with a window open",
  options: {
    yes: { type: 'boolean', default: false },
    history: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
  async run({ yes, history, force }, [address, ...more]) {
    if (address === undefined || more.length > 0 || !isAddressText(address)) {
      throw new UsageError("It takes one schedule's address.");
    }
    return withDatabase(async (database) => {
      const stored = await findStored(database, address);
      if (stored === undefined) return refuse('The schedule is not registered here.');
      if (stored.isAtWork && !force) {
        return refuse(
          'A window of the schedule is open, or a run of it is not over. Without the list its unpaid recipients stay unpaid: wait, ' +
            'or add --force.',
        );
      }
      const runs = history ? `, runs ${stored.runs}` : '';
      if (!yes) {
        await print(`Would be forgotten for good: lists ${stored.lists}${runs}. Add --yes to do it.`);
        return 0;
      }
      const lists = await forgetListsOf(database, address);
      await forgetGrantsOf(database, address);
      if (history) await forgetHistory(database, address);
      await vacuumLists(database);
      const left = history ? 'nothing of the schedule but' : 'its public fields and runs, and';
      await print(
        `Forgotten: lists ${lists}${runs}. Left: ${left} the private balances in the owed tree of its token.`,
      );
      await print('Backups and replicas made before still hold what was forgotten.');
      return 0;
    });
  },
});

function refuse(why: string): number {
  console.error(`✖ ${why}`);
  return 1;
}
