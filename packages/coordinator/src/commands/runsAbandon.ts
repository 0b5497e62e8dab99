import { loadPayloadKeys } from '../config/keys.ts';
import { sealReason } from '../store/crypto/abandonReason.ts';
import { abandonRun } from '../store/queries/operatorRuns.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { paragraph } from './format.ts';
import { Refused, recordedRun, runKey } from './runArguments.ts';
import { type WindowOnLedger, windowOnLedger } from './windowOnLedger.ts';

const LONGEST_REASON = 1_000;

/** What becomes of a given up window's money. */
function consequence(window: WindowOnLedger): string {
  if (window.position === 'unopened') {
    return (
      'The window is not open: its money stays reserved in the vault. The schedule pays no later window before this one, ' +
      'so nobody of it is paid until the run is resumed. The employer gets the reserve back by cancelling the schedule.'
    );
  }
  return (
    'The window is open: its money lies in the pool, and this service no longer brings it back at the batch timeout. ' +
    'Whoever is paid stays paid. `runs resume` has the window committed and settled, which returns the rest to the vault. If the ' +
    'execution layer is lost, governance and guardian declare it so, and `reclaim_window` returns what was not paid.'
  );
}

/** The reason may be private: it is kept encrypted, and only `runs show` shows it. */
export const runsAbandon = command({
  synopsis: 'SCHEDULE:WINDOW --reason TEXT [--open]',
  summary: 'gives a run up: nothing is tried any more until it is resumed; --open: even with money in its window',
  options: { reason: { type: 'string' }, open: { type: 'boolean', default: false } },
  async run({ reason, open }, names, { time }) {
    const key = runKey(names);
    if (reason === undefined || reason.trim() === '' || reason.length > LONGEST_REASON) {
      throw new UsageError(`--reason takes a text of up to ${LONGEST_REASON} characters: why the run is given up.`);
    }
    return withDatabase(time, async (database, settings) => {
      const run = await recordedRun(database, key);
      if (run.finished_at !== null) throw new Refused(`The run is ${run.state}: there is nothing to give up.`);
      const window = await windowOnLedger(settings, key, time);
      if (window.position === 'settled') {
        throw new Refused('The window is settled on the base ledger: resume the run, and it ends as settled.');
      }
      const hasMoney = window.position === 'delegated' || window.position === 'returned';
      if (!open && (hasMoney || window.position === 'unknown')) {
        const what = hasMoney
          ? consequence(window)
          : `${window.sentence} So it can't be told whether the window is open.`;
        for (const line of paragraph('✖ The run is not given up.', what)) console.error(line);
        console.error('  Add --open to give it up all the same.');
        return 1;
      }
      const sealed = await sealReason(await loadPayloadKeys(settings, time), key, reason.trim());
      if (!(await abandonRun(database, run.id, sealed, time.now()))) throw new Refused('The run has ended meanwhile.');
      for (const line of paragraph('The run is given up; `runs resume` takes it on again.', consequence(window))) {
        await print(line);
      }
      if (run.state === 'running') await print('  An attempt of it may be under way: that one still comes to its end.');
      return 0;
    });
  },
});
