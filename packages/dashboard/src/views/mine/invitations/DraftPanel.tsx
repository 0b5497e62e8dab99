import { countText } from '@payouts/pages/format/amount';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { saveFile } from '@payouts/pages/saveFile';
import { EMPTY_PAYROLL } from '@payouts/payroll';
import { useState } from 'preact/hooks';
import { type Draft, draft } from '../../../employer/inviting.ts';
import { type AskedChange, ChangeDialog } from '../ChangeDialog.tsx';

/** What addresses are taken into where no payroll is open. */
const EMPTY_NAME = 'payroll.csv';

export const draftOrEmpty = (open: Draft | undefined): Draft =>
  open ?? { name: EMPTY_NAME, content: new Blob([EMPTY_PAYROLL]), taken: new Map() };

/** The payroll that addresses are taken into. What was taken is forgotten elsewhere only once the file is saved. */
export function DraftPanel({ onForgotten }: { readonly onForgotten: () => void }) {
  const open = draft.value;
  const [change, setChange] = useState<AskedChange>();
  const save = ({ name, content, taken }: Draft) =>
    setChange({
      name: 'Save it and forget them',
      effects: [
        `Saves ${name} with what you have taken. Keep it in a private place: it is not encrypted.`,
        `Forgets ${countText(taken.size, 'invitation or request', 'invitations and requests')} that you have taken: your wallet signs each.`,
      ],
      send: async () => {
        saveFile(name, content, 'text/csv');
        for (const [who, forget] of taken) {
          await forget();
          forgotten(who);
        }
        onForgotten();
        return (
          <Notice kind="good" title="Saved.">
            Where you make a payroll or change a list, this draft is offered until you reload. What it changes is shown
            there before it counts.
          </Notice>
        );
      },
    });
  return (
    <section aria-labelledby="draft">
      <h2 id="draft">Your draft</h2>
      {open === undefined ? (
        <>
          <p>Addresses are written into a payroll of yours, in CSV. Without one, an empty payroll is begun.</p>
          <FileDrop label="Open a payroll" accept=".csv,.tsv,text/csv,text/tab-separated-values" onFile={begin} />
        </>
      ) : (
        <>
          <p class="break">
            <strong>{open.name}</strong>
            {open.taken.size === 0
              ? ', with nothing that you have to save.'
              : `, with ${countText(open.taken.size, 'address', 'addresses')} that you have taken and not saved.`}
          </p>
          <p class="actions">
            <button type="button" class="primary" disabled={open.taken.size === 0} onClick={() => save(open)}>
              Save the draft
            </button>
            <button type="button" class="quiet" onClick={() => (draft.value = undefined)}>
              Put it away
            </button>
          </p>
        </>
      )}
      <ChangeDialog change={change} onClose={() => setChange(undefined)} />
    </section>
  );
}

function begin(file: File): void {
  draft.value = { name: file.name, content: file, taken: new Map() };
}

/** One after the other: whatever a wallet refuses stays to be forgotten. */
function forgotten(who: string): void {
  const { value: open } = draft;
  if (open === undefined) return;
  const taken = new Map(open.taken);
  taken.delete(who);
  draft.value = { ...open, taken };
}
