import { countText } from '@payouts/pages/format/amount';
import { Notice } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { signedIn } from '@payouts/pages/session/session';
import { useState } from 'preact/hooks';
import { act } from '../api/request.ts';
import { askToSignIn } from '../parts/SignIn.tsx';
import { TroubleNotice } from '../parts/Trouble.tsx';

type Report = {
  readonly compared: { readonly schedules: number; readonly vaults: number; readonly tokens: number };
  readonly isLayerCompared: boolean;
  readonly isUnregisteredSearched: boolean;
  readonly differences: readonly {
    readonly kind: string;
    readonly about: string;
    readonly detail: string | null;
    readonly isHealed: boolean;
  }[];
};

const COLUMNS: readonly Column<Report['differences'][number]>[] = [
  {
    name: 'Kind',
    show: ({ kind, detail }) => (
      <>
        <code>{kind}</code>
        {detail !== null && <div class="small faint">{detail}</div>}
      </>
    ),
  },
  { name: 'About', show: ({ about }) => <code class="break">{about}</code> },
  { name: 'Healed', show: ({ isHealed }) => (isHealed ? '✓ healed' : '! left') },
];

/** An operator compares the database with both ledgers, and has it healed. */
export function Reconcile() {
  const who = signedIn.value;
  return (
    <>
      <h1>Reconcile</h1>
      <p class="lead">
        Compares what the coordinator’s database says with both ledgers. The ledgers decide: healing brings the database
        to what they say, and moves no money.
      </p>
      {who === undefined && (
        <Notice kind="info" title="This is for operators.">
          <button type="button" class="link" onClick={askToSignIn}>
            Sign in
          </button>{' '}
          with a wallet that the setting <code>OPERATORS</code> names.
        </Notice>
      )}
      {who !== undefined && !who.isOperator && (
        <Notice kind="warn" title="The wallet that is signed in is no operator’s.">
          Sign in with one that the setting <code>OPERATORS</code> names, or have this one named there.
        </Notice>
      )}
      {who?.isOperator === true && <Compare />}
    </>
  );
}

function Compare() {
  const [isBusy, setBusy] = useState(false);
  const [report, setReport] = useState<Report>();
  const [error, setError] = useState<unknown>();
  const compare = (fix: boolean) => {
    setBusy(true);
    setError(undefined);
    act<Report>('/api/reconcile', { fix })
      .then(setReport, setError)
      .finally(() => setBusy(false));
  };
  const left = report?.differences.filter(({ isHealed }) => !isHealed).length ?? 0;
  return (
    <>
      <p class="actions">
        <button type="button" class={left > 0 ? '' : 'primary'} disabled={isBusy} onClick={() => compare(false)}>
          {isBusy ? 'Comparing …' : 'Compare'}
        </button>
        {left > 0 && (
          <button type="button" class="primary" disabled={isBusy} onClick={() => compare(true)}>
            Heal what can be healed
          </button>
        )}
      </p>
      {error !== undefined && <TroubleNotice error={error} what="Not compared" />}
      {report !== undefined && <Result report={report} left={left} />}
    </>
  );
}

function Result({ report, left }: { readonly report: Report; readonly left: number }) {
  const { isLayerCompared, isUnregisteredSearched, differences } = report;
  const { schedules, vaults, tokens } = report.compared;
  const what = `${countText(schedules, 'schedule')}, ${countText(vaults, 'vault')} and ${countText(tokens, 'token')} compared.`;
  const healed = differences.length - left;
  return (
    <>
      {!isLayerCompared && (
        <Notice kind="warn" title="The execution layer did not answer.">
          Open batches were not compared with it. Check LAYER_RPC_URL and compare again.
        </Notice>
      )}
      {!isUnregisteredSearched && (
        <Notice kind="warn" title="The base ledger's node does not list a program's accounts.">
          Schedules that are not registered were not looked for. Name another node in BASE_RPC_URL for that.
        </Notice>
      )}
      <Notice
        kind={left === 0 ? 'good' : 'warn'}
        title={left === 0 ? 'Nothing differs.' : `${countText(left, 'difference')} left.`}
      >
        {what} {healed > 0 && `${countText(healed, 'difference')} healed.`}
      </Notice>
      {differences.length > 0 && (
        <Table
          rows={differences}
          keyOf={({ kind, about }) => `${kind} ${about}`}
          caption="Differences"
          columns={COLUMNS}
        />
      )}
    </>
  );
}
