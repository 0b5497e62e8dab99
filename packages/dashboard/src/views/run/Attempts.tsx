import { countText, shortAddress } from '@payouts/pages/format/amount';
import { durationText } from '@payouts/pages/format/time';
import { now } from '@payouts/pages/now';
import { Copy } from '@payouts/pages/parts/Address';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { useState } from 'preact/hooks';
import type { Attempt } from '../../api/types.ts';
import { outcomeText, STAGE_WORDS } from '../../format/words.ts';

const MARKS: Readonly<Record<Attempt['outcome'], string>> = {
  running: '◐',
  succeeded: '✓',
  retried: '↻',
  held: '‖',
  waiting: '◷',
  failed: '✕',
  cancelled: '−',
  interrupted: '⌁',
};

const COLUMNS: readonly Column<Attempt>[] = [
  {
    name: 'Stage',
    show: ({ stage, number }) => (
      <>
        {STAGE_WORDS[stage].name} <span class="faint">{number}</span>
      </>
    ),
  },
  {
    name: 'Outcome',
    show: ({ outcome, errorCode, errorDetail }) => (
      <>
        <span class={`outcome ${outcome}`}>
          <span aria-hidden="true">{MARKS[outcome]}</span> {outcomeText(outcome)}
        </span>
        {errorCode !== null && (
          <div class="small">
            <code>{errorCode}</code> <span class="faint">{errorDetail}</span>
          </div>
        )}
      </>
    ),
  },
  { name: 'Started', show: ({ startedAt }) => <Time at={startedAt} as="local" /> },
  {
    name: 'Took',
    class: 'number',
    show: ({ startedAt, endedAt }) => durationText((endedAt ?? now.value) - startedAt),
  },
  { name: 'Transactions', class: 'wide', show: (attempt) => <Signatures attempt={attempt} /> },
];

/** The newest tries that are shown at first: a run that was held for a week has thousands. */
const SHOWN = 20;

/** Every try, in order, in words. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, attempts.length - SHOWN);
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      {hidden > 0 && (
        <p>
          <button type="button" class="link" onClick={() => setWhole(true)}>
            Show {countText(hidden, 'earlier attempt')}
          </button>
        </p>
      )}
      <Table rows={attempts.slice(hidden)} keyOf={({ stage, number }) => `${stage}${number}`} columns={COLUMNS} />
    </section>
  );
}

/** The first of them by name; a claim may have hundreds. */
const NAMED = 2;

function Signatures({ attempt: { signatures } }: { readonly attempt: Attempt }) {
  if (signatures.length === 0) return <span class="faint">–</span>;
  return (
    <>
      {signatures.slice(0, NAMED).map((signature) => (
        <span key={signature} class="address">
          <code title={signature}>{shortAddress(signature)}</code>
          <Copy text={signature} what="signature" />
        </span>
      ))}
      {signatures.length > NAMED && (
        <span class="faint">and {(signatures.length - NAMED).toLocaleString('en')} more</span>
      )}
    </>
  );
}
