import type { ComponentChildren } from 'preact';
import { DAYS, DEADLINES, INTERVALS, type TermsForm } from './terms.ts';

type Props = { readonly terms: TermsForm; readonly onChange: (terms: TermsForm) => void };
type Option = { readonly value: string; readonly name: string };

/** When and how often a payroll is paid. */
export function TermsFields({ terms, onChange }: Props) {
  const set = (part: Partial<TermsForm>) => onChange({ ...terms, ...part });
  return (
    <fieldset class="fields">
      <legend>When it is paid</legend>
      <Field name="How often">
        <Choice options={INTERVALS} value={terms.every} onChange={(every) => set({ every, on: '' })} />
      </Field>
      {terms.every.endsWith('mo') && (
        <Field name="On">
          <Choice options={DAYS} value={terms.on} onChange={(on) => set({ on })} />
        </Field>
      )}
      <Field name="First pay run, your time (empty: at once)">
        <input
          type="datetime-local"
          value={terms.first}
          onInput={(event) => set({ first: event.currentTarget.value })}
        />
      </Field>
      <Field name="End">
        <Choice options={ENDS} value={terms.end} onChange={(end) => set({ end: end as TermsForm['end'] })} />
      </Field>
      {terms.end === 'never' && (
        <Count name="Pay runs to keep reserved" most={255} value={terms.keep} onChange={(keep) => set({ keep })} />
      )}
      <Count
        name={terms.end === 'never' ? 'Pay runs whose fees are prepaid' : 'Pay runs to promise'}
        most={999_999_999}
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

const ENDS: readonly Option[] = [
  { value: 'after', name: 'after the pay runs promised' },
  { value: 'never', name: 'no end, until you cancel it' },
];

type CountProps = {
  readonly name: string;
  readonly most: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

const Count = ({ name, most, value, onChange }: CountProps) => (
  <Field name={name}>
    <input
      type="number"
      min="1"
      max={most}
      required
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </Field>
);

const MISSED: readonly Option[] = [
  { value: 'catchUp', name: 'are caught up on' },
  { value: 'skip', name: 'are left out' },
];

export const Field = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is what it holds
  <label>
    <span>{name}</span>
    {children}
  </label>
);

type ChoiceProps = {
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
};

export const Choice = ({ options, value, onChange }: ChoiceProps) => (
  <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    {options.map((option) => (
      <option key={option.value} value={option.value}>
        {option.name}
      </option>
    ))}
  </select>
);
