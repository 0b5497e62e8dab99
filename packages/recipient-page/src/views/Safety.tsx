import { type BalanceRecovery, type OwnToken, proofFileToJson } from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { saveFile } from '@payouts/pages/saveFile';
import { useTime } from '@payouts/pages/useTime';
import { useState } from 'preact/hooks';
import { type Account, account } from '../account.ts';
import { money, readMoney } from '../money.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { walletFrom } from '../words.ts';
import { NoToken } from './NoToken.tsx';
import { Recover } from './Recover.tsx';

/** What is worth doing before something is lost: a wallet that recovers the balance, and the proof file. */
export function Safety() {
  const { value: own } = account;
  return (
    <>
      <h1>If something is lost</h1>
      {own !== undefined && <ProofFile account={own} />}
      {money.value === undefined || own === undefined ? (
        <NoToken isRead={false} />
      ) : (
        money.value.tokens.map((token) => <Recovery key={token.mint} token={token} account={own} />)
      )}
      {own !== undefined && <Recover account={own} />}
    </>
  );
}

function ProofFile({ account: { client } }: { readonly account: Account }) {
  const time = useTime();
  const { isBusy, error, result, run } = useAction<number>();
  const save = async () => {
    const balances = await client.proofs();
    const day = new Date(time.now()).toISOString().slice(0, 10);
    if (balances.length > 0) saveFile(`payouts-proof-${day}.json`, JSON.stringify(proofFileToJson(balances), null, 2));
    return balances.length;
  };
  return (
    <section class="panel" aria-labelledby="proof-file">
      <h2 id="proof-file">Proof file: if the system that holds your balance is lost</h2>
      <p>
        What you are owed is recorded on the public ledger, hidden. With this file and your wallet you are paid from
        there, without your employer and without this page’s server. Save it after each payday: the newest recording
        counts. Keep it private, it shows your balance. <a href="./redeem.html">Use a proof file</a>
      </p>
      <Trouble error={error} />
      {result === 0 && (
        <Notice kind="info" title="Nothing of yours is recorded yet. Try again after your next payday." />
      )}
      {result !== undefined && result > 0 && (
        <Notice kind="good" title="Saved. Keep it where you keep private files." />
      )}
      <button type="button" disabled={isBusy} onClick={() => run(save)}>
        Save the proof file
      </button>
    </section>
  );
}

type RecoveryProps = { readonly token: OwnToken; readonly account: Account };

function Recovery({ token, account: { client } }: RecoveryProps) {
  const time = useTime();
  const [to, setTo] = useState('');
  const [isChecked, setChecked] = useState(false);
  const { isBusy, error, result, run } = useAction<string>();
  const read = walletFrom(to);
  const paid = token.balances.filter(({ place }) => place !== null);
  const named = paid.flatMap(({ personal, recovery }) => (recovery === null ? [] : [{ personal, ...recovery }]));
  const underWay = paid.filter(({ recovery }) => recovery !== null && recovery.completesAt !== null);
  const changeAll = (
    balances: typeof paid,
    said: string,
    change: (balance: (typeof paid)[number]) => Promise<unknown>,
  ) =>
    run(async () => {
      for (const balance of balances) await change(balance);
      await readMoney(time);
      return said;
    });
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    if ('wrong' in read) return;
    changeAll(paid, 'Named.', (balance) => client.nameRecovery(balance, read.wallet));
  };
  const recoverable = paid.filter(({ recovery }) => recovery !== null && recovery.wallet !== null);
  const remove = () =>
    changeAll(recoverable, 'Nobody can recover it after fourteen days.', (balance) =>
      client.nameRecovery(balance, null),
    );
  const refuse = () =>
    changeAll(underWay, 'Refused. Name another wallet.', (balance) => client.refuseRecovery(balance));
  return (
    <section class="panel" aria-labelledby={`recovery-${token.mint}`}>
      <h2 id={`recovery-${token.mint}`}>Recovery wallet for {token.name}: if you lose your key</h2>
      <p>
        A second wallet of yours, or of somebody you trust, can ask for this balance. You have fourteen days to refuse.
        Another wallet takes its place fourteen days after you name it.
      </p>
      {named.map((each) => (
        <Named key={each.personal} {...each} isBusy={isBusy} onRefuse={refuse} />
      ))}
      {paid.length === 0 ? (
        <p>A recovery wallet can be named once you have been paid for the first time.</p>
      ) : (
        <form onSubmit={submit}>
          <Field
            label="Recovery wallet"
            value={to}
            onInput={setTo}
            wrong={isChecked && 'wrong' in read ? read.wrong : undefined}
          />
          <button type="submit" disabled={isBusy}>
            {isBusy ? 'Look into your wallet …' : 'Name it'}
          </button>{' '}
          {recoverable.length > 0 && (
            <button type="button" class="quiet" disabled={isBusy} onClick={remove}>
              Let nobody recover it
            </button>
          )}
        </form>
      )}
      <Trouble error={error} />
      {result !== undefined && <Notice kind="good" title={result} />}
    </section>
  );
}

type NamedProps = BalanceRecovery & {
  readonly personal: string | null;
  readonly isBusy: boolean;
  readonly onRefuse: () => void;
};

/** Who may recover a balance, who will, and who asks for it. */
const Named = ({ personal, wallet, change, completesAt, isBusy, onRefuse }: NamedProps) => (
  <>
    <p>
      Recovered by <code class="break">{wallet ?? 'nobody'}</code>, who needs this address of the balance:{' '}
      <code class="break">{personal}</code>
    </p>
    {change !== null && (
      <p>
        From <Time at={change.from} as="local" /> on by <code class="break">{change.wallet ?? 'nobody'}</code>.
      </p>
    )}
    {completesAt !== null && (
      <Notice kind="bad" title="Somebody has asked for this balance.">
        Refuse before <Time at={completesAt} as="local" />, or it is theirs.{' '}
        <button type="button" disabled={isBusy} onClick={onRefuse}>
          Refuse
        </button>
      </Notice>
    )}
  </>
);
