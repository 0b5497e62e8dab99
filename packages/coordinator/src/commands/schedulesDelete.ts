import { isAddressText, type Time } from '@payouts/client';
import { isUnknown } from '../audit/read.ts';
import { isRight } from '../audit/statement.ts';
import type { Settings } from '../config/specs.ts';
import { deleteHistory, deleteListsOf, findStored, vacuumLists } from '../store/queries/deletion.ts';
import { deleteGrantsOf } from '../store/queries/grants.ts';
import { deleteWebhooksOf } from '../store/queries/webhooks.ts';
import type { Db } from '../store/schema.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { findTotals, printTotals } from './schedulesTotals.ts';

/** Forgotten, but the totals don't add up, or can't be told. */
const EXIT_UNPROVEN = 3;

/** Without its list no window of the schedule can be paid any more, until the list is registered again. */
export const schedulesDelete = command({
  synopsis: 'ADDRESS [--yes] [--history] [--force] [--json]',
  summary:
    "forgets a schedule's recipients for good and states its totals; --history: its runs too; --yes: really; --force: even with a window open",
  options: {
    yes: { type: 'boolean', default: false },
    history: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run({ yes, history, force, json }, [address, ...more], { time }) {
    if (address === undefined || more.length > 0 || !isAddressText(address)) {
      throw new UsageError("It takes one schedule's address.");
    }
    return withDatabase(time, async (database, settings) => {
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
      const lists = await deleteListsOf(database, address);
      await deleteGrantsOf(database, address);
      await deleteWebhooksOf(database, address);
      if (history) await deleteHistory(database, address);
      await vacuumLists(database);
      const left = history ? 'nothing of the schedule but' : 'its public fields and runs, and';
      // With --json standard output is the statement's alone.
      const say = json ? async (text: string) => console.error(text) : print;
      await say(
        `Forgotten: lists ${lists}${runs}. Left: ${left} the private balances in the liabilities tree of its token.`,
      );
      await say('Backups and replicas made before still hold what was forgotten.');
      return stateTotals({ database, settings, time }, address, json);
    });
  },
});

/** What was forgotten stays so, whatever becomes of the statement. */
async function stateTotals(
  { database, settings, time }: { readonly database: Db; readonly settings: Settings; readonly time: Time },
  address: string,
  json: boolean,
): Promise<number> {
  try {
    const found = await findTotals(database, settings, address, time);
    await printTotals(found, json);
    return isRight(found.totals, found.liabilities) ? 0 : EXIT_UNPROVEN;
  } catch (error) {
    if (!isUnknown(error)) throw error;
    console.error(`✖ Its totals can't be stated now: ${error.message} Ask again: schedules totals ${address}`);
    return EXIT_UNPROVEN;
  }
}

function refuse(why: string): number {
  console.error(`✖ ${why}`);
  return 1;
}
