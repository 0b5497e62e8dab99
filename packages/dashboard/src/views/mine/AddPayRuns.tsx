import { CalendarUnit, MOST_DATES } from '@payouts/client';
import { fundSchedule, type OwnSchedule } from '@payouts/employer';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { useTime } from '@payouts/pages/useTime';
import { useState } from 'preact/hooks';
import type { AskedAction } from './ActionDialog.tsx';
import { DatesFields } from './DatesFields.tsx';
import { datesText, FIRST_DATES } from './dates.ts';
import { Count } from './Fields.tsx';
import { ActionTrouble } from './Trouble.tsx';
import { shownDates } from './terms.ts';

const NAME = 'Add pay runs';

type Props = { readonly own: OwnSchedule; readonly onAction: (action: AskedAction) => void };

/** Promises more pay runs: so many, and where they are paid on dates, on which. */
export const AddPayRuns = (props: Props) =>
  props.own.schedule.unit === CalendarUnit.Dates ? <OnDates {...props} /> : <ByRule {...props} />;

function ByRule({ own, onAction }: Props) {
  const [executions, setExecutions] = useState('1');
  const fund = (event: Event) => {
    event.preventDefault();
    onAction({ name: NAME, plan: () => fundSchedule(own, Number(executions)) });
  };
  return (
    <form class="row" onSubmit={fund}>
      <label>
        <span class="hidden">Pay runs to add</span>
        <input
          type="number"
          min="1"
          max="999999999"
          required
          value={executions}
          onInput={(event) => setExecutions(event.currentTarget.value)}
        />
      </label>
      <button type="submit">{NAME}</button>
    </form>
  );
}

/** The ledger has dates alone, and not the rule that they follow: it is said again. */
function OnDates({ own, onAction }: Props) {
  const time = useTime();
  const [isOpen, setOpen] = useState(false);
  const [executions, setExecutions] = useState('1');
  const [dates, setDates] = useState(FIRST_DATES);
  const [error, setError] = useState<unknown>();
  const look = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    try {
      const { furtherDates } = await import('@payouts/employer/payDays');
      const asked = { ...datesText(dates), first: dates.first };
      const next = await furtherDates(own.schedule, asked, Number(executions), Math.floor(time.now() / 1_000));
      const days = await shownDates(next, dates);
      setOpen(false);
      onAction({ name: NAME, days, plan: () => fundSchedule(own, next.length, next) });
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {NAME}
      </button>
      <Dialog title="Days of more pay runs" isOpen={isOpen} onClose={() => setOpen(false)}>
        <form onSubmit={look}>
          <p>The ledger has the dates that you signed, and not their rule: fill it in as you did then.</p>
          <fieldset class="fields">
            <legend>When they are paid</legend>
            <Count name="Pay runs to add" most={MOST_DATES} value={executions} onChange={setExecutions} />
            <DatesFields dates={dates} onChange={setDates} isFurther />
          </fieldset>
          {error !== undefined && <ActionTrouble error={error} />}
          <p class="actions">
            <button type="submit" class="primary">
              See what will happen
            </button>
          </p>
        </form>
      </Dialog>
    </>
  );
}
