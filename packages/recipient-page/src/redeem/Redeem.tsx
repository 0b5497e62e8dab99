import type { ProvenBalance } from '@payouts/client';
import { readDeployment } from '@payouts/pages/deployment';
import { connectBase, type PageBase } from '@payouts/pages/ledgers';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { ThemeSwitch } from '@payouts/pages/parts/theme';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../parts/Field.tsx';
import { Brand, Foot, Skip } from '../parts/Frame.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { look, type Owed, readProofFile } from './owed.ts';
import { TakeOut } from './TakeOut.tsx';

/** Takes what a proof file shows out of the pool, by the public ledger alone: the coordinator may be gone. */
export function Redeem() {
  const main = useRef<HTMLElement>(null);
  return (
    <>
      <Skip to={main} />
      <header class="bar">
        <div class="inner">
          <Brand />
          <div class="tools">
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <h1>Use a proof file</h1>
        <p class="lead">
          If the system that holds private balances is lost, your proof file and your wallet take your money out of the
          public pool. Nobody else is needed: the file stays in this tab, and only the ledger is asked.
        </p>
        <Steps />
      </main>
      <Foot />
    </>
  );
}

type Looked = { readonly ledgers: PageBase; readonly owed: Owed };

function Steps() {
  const time = useTime();
  const [balances, setBalances] = useState<readonly ProvenBalance[]>();
  const [rpc, setRpc] = useState('');
  const reading = useAction();
  const looking = useAction<Looked>();
  useEffect(() => {
    // While there is a coordinator, it knows an address.
    readDeployment().then(
      ({ rpcUrls: [first] }) => setRpc((typed) => (typed === '' ? (first ?? '') : typed)),
      () => undefined,
    );
  }, []);
  const read = (file: File) => {
    looking.clear();
    reading.run(async () => setBalances(await readProofFile(file)));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (balances === undefined) return;
    looking.run(async () => {
      const ledgers = await connectBase([rpc.trim()], time);
      return { ledgers, owed: await look(ledgers, balances) };
    });
  };
  return (
    <>
      <FileDrop label="Open the proof file" accept=".json,application/json" onFile={read} />
      <Trouble error={reading.error} />
      {balances !== undefined && (
        <form class="panel" onSubmit={submit}>
          <p role="status">
            Read: {balances.length === 1 ? 'one balance' : `${balances.length} balances`} of{' '}
            <code class="break">{balances[0]?.recipient}</code>
          </p>
          <Field
            label="Address of a node of the ledger (RPC)"
            value={rpc}
            onInput={setRpc}
            placeholder="https://api.mainnet-beta.solana.com"
            wrong={
              rpc !== '' && !URL.canParse(rpc.trim()) ? 'Enter an address such as https://rpc.example.com.' : undefined
            }
            hint="Any will do. It learns which balance is looked for."
          />
          <button type="submit" class="primary" disabled={looking.isBusy || !URL.canParse(rpc.trim())}>
            {looking.isBusy ? 'Looking …' : 'Look what is due'}
          </button>
          <Trouble error={looking.error} />
        </form>
      )}
      {looking.result !== undefined && <TakeOut {...looking.result} />}
    </>
  );
}
