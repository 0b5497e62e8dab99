import { type OwnVault, withName } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import { saveFile } from '@payouts/pages/saveFile';
import { useTime } from '@payouts/pages/useTime';
import { useState } from 'preact/hooks';
import { useAttempt } from '../../book/useAttempt.ts';
import { Choice, Field } from './Fields.tsx';
import { ActionTrouble } from './Trouble.tsx';

/** What a vault's month can be saved as. */
const FORMS = [
  { value: 'camt053', name: 'statement of account (camt.053)' },
  { value: 'quickbooks', name: 'journal for QuickBooks Online' },
  { value: 'xero', name: 'journal for Xero' },
] as const;

type Fields = {
  readonly form: (typeof FORMS)[number]['value'];
  readonly month: string;
  readonly currency: string;
  readonly debit: string;
  readonly credit: string;
  readonly taxRate: string;
};

/** Saves a vault's month for the books, as the base ledger has it: a bank's statement, or a journal. */
export function Books({ own }: { readonly own: OwnVault }) {
  const time = useTime();
  const { isBusy, error, attempt } = useAttempt();
  const [fields, setFields] = useState<Fields>({
    form: 'camt053',
    month: new Date(time.now()).toISOString().slice(0, 7),
    currency: '',
    debit: '',
    credit: '',
    taxRate: '',
  });
  const [said, setSaid] = useState('');
  const set = (part: Partial<Fields>) => {
    setSaid('');
    setFields({ ...fields, ...part });
  };
  const save = (event: Event) => {
    event.preventDefault();
    setSaid('');
    attempt(async () => {
      // Whoever saves nothing loads nothing that writes it.
      const { monthFile } = await import('../../employer/monthFile.ts');
      const made = await monthFile(own, fields, time.now());
      saveFile(made.name, made.text, made.type);
      setSaid(`Saved. ${fields.month}: ${made.sentence((amount) => withName(amount, own.token))}`);
    });
  };
  return (
    <section aria-labelledby="books">
      <h2 id="books">For the books</h2>
      <form class="fields" onSubmit={save}>
        <MonthFields fields={fields} onChange={set} />
        <p class="actions">
          <button type="submit" disabled={isBusy}>
            Save the file
          </button>
          <span role="status" class="faint">
            {isBusy && 'Reading the vault’s history …'}
          </span>
        </p>
      </form>
      {said !== '' && <Notice kind="good" title={said} />}
      {error !== undefined && <ActionTrouble error={error} />}
      <p class="faint">
        It has totals by pay run and names nobody. For each person: <code>payout bank statement</code>.
      </p>
    </section>
  );
}

type FieldsProps = { readonly fields: Fields; readonly onChange: (part: Partial<Fields>) => void };

/** What is filled in for a file; a journal says where pay runs are booked. */
function MonthFields({ fields, onChange }: FieldsProps) {
  const { form } = fields;
  const written = (name: 'currency' | 'debit' | 'credit' | 'taxRate') => ({
    autocomplete: 'off',
    value: fields[name],
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <Field name="File">
        <Choice options={FORMS} value={form} onChange={(value) => onChange({ form: value as Fields['form'] })} />
      </Field>
      <Field name="Month, in UTC">
        <input
          type="month"
          required
          placeholder="2026-11"
          value={fields.month}
          onInput={(event) => onChange({ month: event.currentTarget.value })}
        />
      </Field>
      <Field name="Currency (empty: that of the token, if it is known)">
        <input placeholder="USD" {...written('currency')} />
      </Field>
      {form !== 'camt053' && (
        <>
          <Field name="Account of your wages: its name in QuickBooks, its code in Xero">
            <input required {...written('debit')} />
          </Field>
          <Field name="Account that the vault has there">
            <input required {...written('credit')} />
          </Field>
        </>
      )}
      {form === 'xero' && (
        <Field name="Tax rate of wages in Xero">
          <input required {...written('taxRate')} />
        </Field>
      )}
    </>
  );
}
