import { MOST_DATES } from '@payouts/client';
import { DatesFields } from './DatesFields.tsx';
import { DAYS } from './dates.ts';
import { Choice, Count, Field, type Option } from './Fields.tsx';
import { DEADLINES, INTERVALS, type TermsForm } from './terms.ts';

type Props = { readonly terms: TermsForm; readonly onChange: (terms: TermsForm) => void };

/** When and how often a payroll is paid. */
export function TermsFields({ terms, onChange }: Props) {
  const set = (part: Partial<TermsForm>) => onChange({ ...terms, ...part });
  return (
    <fieldset class="fields">
      <legend>When it is paid</legend>
      <Field name="Pay days">
        <Choice options={WAYS} value={terms.by} onChange={(by) => set({ by: by as TermsForm['by'] })} />
      </Field>
      {terms.by === 'dates' ? (
        <DatesFields dates={terms.dates} onChange={(dates) => set({ dates })} />
      ) : (
        <IntervalFields terms={terms} set={set} />
      )}
      <Field name="End">
        <Choice options={ENDS} value={terms.end} onChange={(end) => set({ end: end as TermsForm['end'] })} />
      </Field>
      {terms.end === 'never' && (
        <Count name="Pay runs to keep reserved" most={255} value={terms.keep} onChange={(keep) => set({ keep })} />
      )}
      <Count
        name={terms.end === 'never' ? 'Pay runs whose fees are prepaid' : 'Pay runs to promise'}
        most={terms.by === 'dates' ? MOST_DATES : 999_999_999}
        value={terms.executions}
        onChange={(executions) => set({ executions })}
      />
      <Field name="Payment deadline">
        <Choice options={DEADLINES} value={terms.timeout} onChange={(timeout) => set({ timeout })} />
      </Field>
      <Field name="Pay runs that were missed">
        <Choice
          options={MISSED}
          value={terms.missed}
          onChange={(missed) => set({ missed: missed as TermsForm['missed'] })}
        />
      </Field>
    </fieldset>
  );
}

const WAYS: readonly Option[] = [
  { value: 'interval', name: 'at a fixed interval' },
  { value: 'dates', name: 'by dates' },
];

type IntervalProps = { readonly terms: TermsForm; readonly set: (part: Partial<TermsForm>) => void };

/** A rule that the ledger follows by itself. */
const IntervalFields = ({ terms, set }: IntervalProps) => (
  <>
    <Field name="How often">
      <Choice options={INTERVALS} value={terms.every} onChange={(every) => set({ every, on: '' })} />
    </Field>
    {terms.every.endsWith('mo') && (
      <Field name="On">
        <Choice options={DAYS} value={terms.on} onChange={(on) => set({ on })} />
      </Field>
    )}
    <Field name="First pay run, your time (empty: at once)">
      <input type="datetime-local" value={terms.first} onInput={(event) => set({ first: event.currentTarget.value })} />
    </Field>
  </>
);

const ENDS: readonly Option[] = [
  { value: 'after', name: 'after the pay runs promised' },
  { value: 'never', name: 'no end, until you cancel it' },
];

const MISSED: readonly Option[] = [
  { value: 'catchUp', name: 'are caught up on' },
  { value: 'skip', name: 'are left out' },
];
