import { countGrantsEndedBefore, deleteGrantsEndedBefore } from '../store/queries/grants.ts';
import { countPaidWalletsBefore, removePaidWalletsBefore } from '../store/queries/paidWallets.ts';
import { countOutdated, removeOldLists, removeOldRuns } from '../store/queries/retention.ts';
import { countEventsBefore, removeEventsBefore } from '../store/queries/runEvents.ts';
import { countMessagesBefore, removeMessagesBefore } from '../store/queries/webhookMessages.ts';
import { countWithdrawalsBefore, removeWithdrawalsBefore } from '../store/queries/withdrawals.ts';
import { monthOf } from '../withdrawals/withdrawalBook.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

const DAY_MS = 86_400_000;
const DAYS = /^[1-9][0-9]{0,4}$/;

/** The service may run meanwhile. */
export const retention = command({
  synopsis: '--older-than DAYS [--dry-run] [--json]',
  summary: 'removes runs and grants that ended longer ago, lists that no kept run needs, withdrawals, events, messages',
  options: {
    'older-than': { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run({ 'older-than': days, 'dry-run': isDry, json }, operands, { time }) {
    if (days === undefined || !DAYS.test(days) || operands.length > 0) {
      throw new UsageError('--older-than takes a number of days, 1 or more.');
    }
    const before = time.now() - Number(days) * DAY_MS;
    const month = monthOf(before);
    const outdated = await withDatabase(time, async (database) => {
      const outdated = {
        ...(await countOutdated(database, before)),
        withdrawals: await countWithdrawalsBefore(database, month),
        paidWallets: await countPaidWalletsBefore(database, before),
        grants: await countGrantsEndedBefore(database, before),
        events: await countEventsBefore(database, before),
        messages: await countMessagesBefore(database, before),
      };
      if (isDry) return outdated;
      await removeWithdrawalsBefore(database, month);
      await removePaidWalletsBefore(database, before);
      await removeOldRuns(database, before);
      await removeOldLists(database, before);
      await deleteGrantsEndedBefore(database, before);
      await removeEventsBefore(database, before);
      await removeMessagesBefore(database, before);
      return outdated;
    });
    const { runs, attempts, transactions, lists, withdrawals, paidWallets, grants, events, messages } = outdated;
    const counts =
      `runs ${runs} (attempts ${attempts}, transactions ${transactions}), lists ${lists}, withdrawals ${withdrawals}, ` +
      `wallets paid ${paidWallets}, grants ${grants}, events ${events}, webhook messages ${messages}`;
    const line = isDry ? `Would be removed: ${counts}.` : `Removed: ${counts}.`;
    await show(json, { dryRun: isDry, ...outdated }, [line]);
    return 0;
  },
});
