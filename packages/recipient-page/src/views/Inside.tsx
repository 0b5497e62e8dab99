import { heldOf, type OwnToken, type Part } from '@payouts/client';
import { Copy } from '@payouts/pages/parts/Address';
import { Notice } from '@payouts/pages/parts/Notice';
import { href, place } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import { useState } from 'preact/hooks';
import { type Account, account } from '../account.ts';
import { money, readMoney } from '../money.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { partsFrom } from '../planned.ts';
import { codeFrom, withName } from '../words.ts';
import { NoToken } from './NoToken.tsx';

type Props = { readonly token: OwnToken; readonly account: Account };

/** Pays somebody's payment code, and shows one's own. */
export function Inside() {
  const { tokens = [] } = money.value ?? {};
  const token = tokens.find(({ mint }) => mint === place.value.query.get('token'));
  const { value: own } = account;
  return (
    <>
      <h1>Pay inside</h1>
      <p class="lead">
        From one private balance to another. No ledger shows it, and your employer does not learn of it. Whoever is paid
        sees the amount, and not who has paid.
      </p>
      {token === undefined || own === undefined ? (
        <NoToken isRead={money.value !== undefined} />
      ) : (
        <>
          <Pay token={token} account={own} />
          <OwnCode token={token} account={own} />
        </>
      )}
    </>
  );
}

/** What is to be paid, from which balances, and to whom. */
type Plan = { readonly parts: readonly Part[]; readonly total: bigint; readonly paymentCode: string };

function Pay({ token, account: own }: Props) {
  const [to, setTo] = useState('');
  const [amount, setAmount] = useState('');
  const [isChecked, setChecked] = useState(false);
  // What is under way is shown as it was begun: the balance is another one by then.
  const [begun, setBegun] = useState<Plan>();
  const [code, from] = [codeFrom(to), partsFrom(token, amount)];
  const plan = begun ?? ('wrong' in code || 'wrong' in from ? undefined : { ...from, ...code });
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
      }}
    >
      <Field
        label="To payment code"
        value={to}
        onInput={setTo}
        placeholder="pay_…"
        wrong={isChecked && 'wrong' in code ? code.wrong : undefined}
        hint="Whoever you want to pay finds theirs on this page."
      />
      <Field
        label={`Amount in ${token.name}`}
        isNumber
        value={amount}
        onInput={setAmount}
        wrong={isChecked && 'wrong' in from ? from.wrong : undefined}
        hint={`You have ${withName(heldOf(token), token)}.`}
      />
      {isChecked && plan !== undefined ? (
        <Confirm token={token} account={own} plan={plan} onBegin={() => setBegun(plan)} />
      ) : (
        <button type="submit" class="primary">
          Check
        </button>
      )}
    </form>
  );
}

/** What will happen, and the button that does it. */
function Confirm({
  token,
  account: own,
  plan,
  onBegin,
}: Props & { readonly plan: Plan; readonly onBegin: () => void }) {
  const { parts, total, paymentCode } = plan;
  const time = useTime();
  const { isBusy, error, result, run } = useAction<boolean>();
  const [isAsked, setAsked] = useState(false);
  const pay = async () => {
    onBegin();
    for (const { balance, amount } of parts) await own.client.pay(balance, { amount, paymentCode });
    setAsked(true);
    const isMade = await own.client.isPaidTo(paymentCode);
    void readMoney(time);
    return isMade;
  };
  if (result !== undefined) return <Done plan={plan} token={token} isMade={result} />;
  return (
    <>
      <section aria-labelledby="pay-effects">
        <h2 id="pay-effects">What will happen</h2>
        <ul class="effects">
          <li>
            {withName(total, token)} go to <code class="break">{paymentCode}</code>. Once they are there, nobody can
            call them back.
          </li>
          <li>It costs nothing. Both of you get a receipt, which names only whoever shows it.</li>
        </ul>
      </section>
      <Trouble error={error} />
      <button type="button" class="primary" disabled={isBusy} onClick={() => run(pay)}>
        {isBusy ? (isAsked ? 'Paying …' : 'Look into your wallet …') : `Pay ${withName(total, token)}`}
      </button>
      {error === undefined && !isBusy && (
        <p class="faint small">Your wallet asks once for each balance of yours; the first time of a balance, twice.</p>
      )}
    </>
  );
}

type DoneProps = { readonly plan: Plan; readonly token: OwnToken; readonly isMade: boolean };

const Done = ({ plan: { total, paymentCode }, token, isMade }: DoneProps) => (
  <Notice kind="good" title={`${withName(total, token)} ${isMade ? 'paid' : 'asked for'}`}>
    To <code class="break">{paymentCode}</code>
    <br />
    {isMade ? (
      <>
        <a href={href('history')}>History</a> has the receipt.
      </>
    ) : (
      <>
        <a href={href('')}>Your money</a> shows how it gets on, and can cancel it.
      </>
    )}
  </Notice>
);

function OwnCode({ token, account: own }: Props) {
  const { isBusy, error, result: code, run } = useAction<string>();
  return (
    <section class="panel" aria-labelledby="own-code">
      <h2 id="own-code">Be paid inside</h2>
      <p>
        Whoever has your payment code of {token.name} can pay to it. It says nothing of you: neither who you are nor
        what you are paid, so you may publish it.
      </p>
      <Trouble error={error} />
      {code === undefined ? (
        <button type="button" disabled={isBusy} onClick={() => run(() => own.client.paymentCode(token.mint))}>
          {isBusy ? 'Reading …' : 'Show your payment code'}
        </button>
      ) : (
        <p>
          <code class="break">{code}</code> <Copy text={code} what="payment code" />
        </p>
      )}
    </section>
  );
}
