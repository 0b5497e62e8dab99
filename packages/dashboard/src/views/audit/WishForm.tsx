import { shortAddress } from '@payouts/pages/format/amount';
import { signedIn } from '@payouts/pages/session/session';
import type { AuditGrant, StatementKind } from '@payouts/statements';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import type { Wanted } from './make.ts';

const KINDS: Readonly<Record<StatementKind, string>> = { totals: 'Totals', recipients: 'Named recipients' };

type Props = {
  readonly grants: readonly AuditGrant[];
  readonly isBusy: boolean;
  readonly onWish: (wanted: Wanted) => void;
};

/** What the statement shall be about. */
export function WishForm({ grants, isBusy, onWish }: Props) {
  const kinds = (Object.keys(KINDS) as StatementKind[]).filter((kind) => grants.some(({ scope }) => scope === kind));
  const [kind, setKind] = useState(kinds[0] ?? 'totals');
  const [schedule, setSchedule] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [isLookedUp, setLookedUp] = useState(false);
  const schedules = [...new Set(grants.filter(({ scope }) => scope === kind).map(({ schedulePda }) => schedulePda))];
  const submit = (event: Event) => {
    event.preventDefault();
    const auditor = signedIn.value?.wallet as Address | undefined;
    if (auditor === undefined) return;
    const chosen = schedules.find((each) => each === schedule);
    onWish({ kind, auditor, schedule: chosen, range: { from: numberOf(from), to: numberOf(to) }, isLookedUp });
  };
  return (
    <section aria-labelledby="statement-wish">
      <h2 id="statement-wish">Make a statement</h2>
      <form class="fields" onSubmit={submit}>
        <label>
          About
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as StatementKind)}>
            {kinds.map((each) => (
              <option key={each} value={each}>
                {KINDS[each]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Payroll
          <select value={schedule} onChange={(event) => setSchedule(event.currentTarget.value)}>
            <option value="">All that I was granted</option>
            {schedules.map((each) => (
              <option key={each} value={each}>
                {shortAddress(each)}
              </option>
            ))}
          </select>
        </label>
        <Window name="From window (empty: the first)" value={from} onInput={setFrom} />
        <Window name="To window (empty: the last)" value={to} onInput={setTo} />
        <label class="check row">
          <input type="checkbox" checked={isLookedUp} onChange={(event) => setLookedUp(event.currentTarget.checked)} />
          Also look everything up on the base ledger
        </label>
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            Make the statement
          </button>
        </p>
      </form>
    </section>
  );
}

type WindowProps = { readonly name: string; readonly value: string; readonly onInput: (value: string) => void };

/** A window's number, or nothing. */
export const Window = ({ name, value, onInput }: WindowProps) => (
  <label>
    {name}
    <input
      type="text"
      inputMode="numeric"
      pattern="\d{0,18}"
      title="A whole number, such as 11"
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </label>
);

const numberOf = (text: string): bigint | null => (text.trim() === '' ? null : BigInt(text.trim()));
