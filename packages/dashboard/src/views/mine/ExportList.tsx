import { nextTurn, type Payee } from '@payouts/client/browser';
import { saveFile } from '@payouts/pages/saveFile';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import type { Entry } from '../../api/types.ts';
import { people } from '../../book/book.ts';
import { useAttempt } from '../../book/useAttempt.ts';
import { TroubleNotice } from '../../parts/Trouble.tsx';

type Props = {
  readonly schedule: string;
  readonly entries: readonly Entry[];
  readonly decimals: number;
};

/** Saves the whole list as CSV, which a new payroll and a change take again; with names where somebody wants them in it. */
export function ExportList({ schedule, entries, decimals }: Props) {
  const [isNamed, setNamed] = useState(true);
  const { isBusy, error, attempt } = useAttempt();
  const areKnown = people.value.size > 0;
  const save = async () => {
    // Whoever saves nothing loads nothing that writes it.
    const { payrollSlices } = await import('@payouts/payroll');
    const payees = entries.map(
      ({ recipient, amount, delivery }): Payee => ({
        recipient: recipient as Address,
        amount: BigInt(amount),
        delivery,
      }),
    );
    const slices: string[] = [];
    for (const slice of payrollSlices(payees, decimals, isNamed ? people.value : undefined)) {
      slices.push(slice);
      await nextTurn();
    }
    saveFile(`${schedule}.csv`, new Blob(slices), 'text/csv');
  };
  return (
    <>
      <p class="actions">
        <button type="button" disabled={isBusy} onClick={() => attempt(save)}>
          Save the list as CSV
        </button>
        {areKnown && (
          <label>
            <input type="checkbox" checked={isNamed} onChange={() => setNamed(!isNamed)} /> with names, labels and notes
          </label>
        )}
        <span class="faint">The file is not encrypted: it says who is paid what.</span>
      </p>
      {error !== undefined && <TroubleNotice error={error} what="The list was not saved" />}
    </>
  );
}
