import { countOutdated, removeOldLists, removeOldRuns } from '../store/queries/retention.ts';
import { removeEventsBefore } from '../store/queries/runEvents.ts';
import { removeMessagesBefore } from '../store/queries/webhookMessages.ts';
import { countWithdrawalsBefore, removeWithdrawalsBefore } from '../store/queries/withdrawals.ts';
import { monthOf } from '../store/withdrawalBook.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

const DAY_MS = 86_400_000;
const DAYS = /^[1-9][0-9]{0,4}$/;

/** The service may run meanwhile. */
export const retention = command({
  synopsis: '--older-than DAYS [--dry-run] [--json]',
  summary: 'removes runs that ended longer ago, lists of replaced roots that no kept run needs, and withdrawals',
  options: {
    'older-than': { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run({ 'older-than': days, 'dry-run': isDry, json }, operands) {
    if (days === undefined || !DAYS.test(days) || operands.length > 0) {
      throw new UsageError('--older-than takes a number of days, 1 or more.');
    }
    const before = Date.now() - Number(days) * DAY_MS;
    const month = monthOf(before);
    const { runs, attempts, transactions, lists, withdrawals } = await withDatabase(async (database) => {
      const outdated = {
        ...(await countOutdated(database, before)),
        withdrawals: await countWithdrawalsBefore(database, month),
      };
      if (isDry) return outdated;
      await removeWithdrawalsBefore(database, month);
      await removeOldRuns(database, before);
      await removeOldLists(database, before);
      await removeEventsBefore(database, before);
      await removeMessagesBefore(database, before);
      return outdated;
    });
    const counts = `runs ${runs} (attempts ${attempts}, transactions ${transactions}), lists ${lists}, withdrawals ${withdrawals}`;
    if (json) {
      await print(JSON.stringify({ dryRun: isDry, runs, attempts, transactions, lists, withdrawals }, null, 2));
      return 0;
    }
    await print(isDry ? `Would be removed: ${counts}.` : `Removed: ${counts}.`);
    return 0;
  },
});
