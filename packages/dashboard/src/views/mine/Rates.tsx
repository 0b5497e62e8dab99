import { useState } from 'preact/hooks';
import type { PayrollRules } from '../../employer/payrollDesk.ts';
import { Field } from './Fields.tsx';

type Props = {
  readonly currencies: readonly string[];
  /** What the token is called. */
  readonly token: string;
  readonly isBusy: boolean;
  readonly onGive: (rates: Pick<PayrollRules, 'rates' | 'rateSource'>) => void;
};

/** Asks at which rates amounts in currencies are converted, and where those are from: none is fetched from anywhere. */
export function Rates({ currencies, token, isBusy, onGive }: Props) {
  const [rates, setRates] = useState<Readonly<Record<string, string>>>({});
  const [source, setSource] = useState('');
  const give = (event: Event) => {
    event.preventDefault();
    onGive({
      rates: currencies.map((currency) => `${currency}=${rates[currency]}`),
      rateSource: source.trim() || undefined,
    });
  };
  return (
    <form onSubmit={give}>
      <fieldset class="fields">
        <legend>Rates of currencies</legend>
        {currencies.map((currency) => (
          <Field key={currency} name={`1 ${currency} in ${token}`}>
            <input
              inputMode="decimal"
              autocomplete="off"
              placeholder="1.0834"
              required
              value={rates[currency] ?? ''}
              onInput={(event) => setRates({ ...rates, [currency]: event.currentTarget.value })}
            />
          </Field>
        ))}
        <Field name="Where you have them from (may be empty)">
          <input
            autocomplete="off"
            maxLength={60}
            placeholder="ECB 2026-11-27"
            value={source}
            onInput={(event) => setSource(event.currentTarget.value)}
          />
        </Field>
        <p class="actions">
          <button type="submit" disabled={isBusy}>
            Convert
          </button>
          <span class="faint">Payslips that you save later say amount, rate and source.</span>
        </p>
      </fieldset>
    </form>
  );
}
