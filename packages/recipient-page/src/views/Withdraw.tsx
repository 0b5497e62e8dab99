import {
  adviceOn,
  drawReleaseTime,
  heldOf,
  type OwnToken,
  type Part,
  planWithdrawal,
  stepOf,
  TooLittle,
  WITHDRAWAL_STEPS,
  type WithdrawalStep,
  watchedFrom,
} from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { href, place } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { type Account, account } from '../account.ts';
import { money, readMoney } from '../money.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { amountFrom, walletFrom, withName } from '../words.ts';
import { NoToken } from './NoToken.tsx';

const DAY = 86_400;
/** Seconds within which a release is drawn; 0: at once. */
const TIMES = [
  { within: 3 * DAY, name: 'At a time drawn within 3 days' },
  { within: 7 * DAY, name: 'At a time drawn within 7 days' },
  { within: 0, name: 'At once' },
] as const;
/** Milliseconds between two looks at what was asked for, and how long is looked. */
const LOOK_MS = 1_000;
const WITHIN_MS = 120_000;

/** Takes money out, with what others can tell by it. */
export function Withdraw() {
  const { tokens = [] } = money.value ?? {};
  const token = tokens.find(({ mint }) => mint === place.value.query.get('token'));
  const { value: own } = account;
  return (
    <>
      <h1>Take out money</h1>
      {token === undefined || own === undefined ? (
        <NoToken isRead={money.value !== undefined} />
      ) : (
        <Form token={token} account={own} />
      )}
    </>
  );
}

/** What a form says is to be done, or what is wrong in it. */
type Planned =
  | { readonly parts: readonly Part[]; readonly total: bigint; readonly wallet: Address }
  | { readonly wrong: { readonly amount?: string | undefined; readonly to?: string | undefined } };

function planned(token: OwnToken, amount: string, to: string): Planned {
  const read = amountFrom(amount, token.decimals);
  const wallet = walletFrom(to);
  if ('wrong' in read || 'wrong' in wallet) {
    return {
      wrong: { amount: 'wrong' in read ? read.wrong : undefined, to: 'wrong' in wallet ? wallet.wrong : undefined },
    };
  }
  try {
    return { parts: planWithdrawal(token, read.amount), total: read.amount, wallet: wallet.wallet };
  } catch (error) {
    if (!(error instanceof TooLittle)) throw error;
    const { held, isUnderWay } = error;
    const why = isUnderWay && held < heldOf(token) ? ', until one of your withdrawals is paid' : '';
    return { wrong: { amount: `You can take out ${withName(held, token)} at most${why}.` } };
  }
}

type FormProps = { readonly token: OwnToken; readonly account: Account };

function Form({ token, account: own }: FormProps) {
  const [amount, setAmount] = useState('');
  const [to, setTo] = useState('');
  const [within, setWithin] = useState<number>(TIMES[0].within);
  const [isChecked, setChecked] = useState(false);
  // What is under way is shown as it was begun: the balance is another one by then.
  const [begun, setBegun] = useState<Begun>();
  const plan = begun?.plan ?? planned(token, amount, to);
  const wrong = isChecked && 'wrong' in plan ? plan.wrong : {};
  const held = heldOf(token);
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
      }}
    >
      <Field
        label={`Amount in ${token.name}`}
        isNumber
        value={amount}
        onInput={setAmount}
        wrong={wrong.amount}
        hint={`You have ${withName(held, token)}.`}
      />
      <button type="button" class="quiet" onClick={() => setAmount(withName(held, { ...token, name: '' }).trim())}>
        All of it
      </button>
      <Field
        label="To wallet"
        value={to}
        onInput={setTo}
        wrong={wrong.to}
        hint="Any wallet. A fresh one that nobody knows as yours says least."
      />
      <fieldset>
        <legend>When</legend>
        {TIMES.map((time) => (
          <label key={time.within} class="choice">
            <input type="radio" name="when" checked={within === time.within} onChange={() => setWithin(time.within)} />
            {time.name}
          </label>
        ))}
      </fieldset>
      {'wrong' in plan ? (
        <button type="submit" class="primary">
          Check
        </button>
      ) : (
        <Confirm
          token={token}
          account={own}
          plan={plan}
          held={begun?.held ?? held}
          within={within}
          onBegin={() => setBegun({ plan, held })}
        />
      )}
    </form>
  );
}

type Plan = Exclude<Planned, { readonly wrong: unknown }>;
type Begun = { readonly plan: Plan; readonly held: bigint };
type ConfirmProps = FormProps & Begun & { readonly within: number; readonly onBegin: () => void };

/** What will happen, what others can tell by it, and the button that does it. */
function Confirm({ token, account: own, plan, held, within, onBegin }: ConfirmProps) {
  const { parts, total, wallet } = plan;
  const time = useTime();
  const { isBusy, error, result, run } = useAction<WithdrawalStep>();
  const [step, setStep] = useState<WithdrawalStep>();
  const seen = {
    ...{ to: wallet, owner: own.wallet.address, amount: total, held, decimals: token.decimals },
    within: within === 0 ? undefined : within,
  };
  const withdraw = async () => {
    onBegin();
    const watched = watchedFrom(parts.map(({ balance }) => balance));
    for (const { balance, amount } of parts) {
      const now = BigInt(Math.floor(time.now() / 1_000));
      const dueAt = within === 0 ? 0n : drawReleaseTime({ earliest: now, latest: now + BigInt(within) });
      await own.client.withdraw(balance, { amount, wallet, dueAt });
    }
    setStep('asked for');
    const until = time.monotonic() + WITHIN_MS;
    for (let reached: WithdrawalStep = 'asked for'; ; await time.pause(LOOK_MS)) {
      if (within > 0 || reached === 'paid' || time.monotonic() > until) {
        void readMoney(time);
        return reached;
      }
      reached = stepOf(await own.client.balances(), watched);
      setStep(reached);
    }
  };
  if (result !== undefined) return <Done plan={plan} token={token} step={result} within={within} />;
  return (
    <>
      <section aria-labelledby="effects">
        <h2 id="effects">What will happen</h2>
        <ul class="effects">
          <li>
            {withName(total, token)} go to <code class="break">{wallet}</code>
            {parts.length > 1 && `, in ${parts.length} payouts, one from each balance`}.
          </li>
          <li>{withName(held - total, token)} stay in your private balance.</li>
          <li>It costs you nothing, and you need no SOL. Your employer does not learn of it.</li>
        </ul>
        {adviceOn(seen, 'Choose a time that is drawn.').map((sentence) => (
          <Notice key={sentence} kind="warn" title={sentence} />
        ))}
      </section>
      <Trouble error={error} />
      {step !== undefined && <Steps reached={step} />}
      <button type="button" class="primary" disabled={isBusy} onClick={() => run(withdraw)}>
        {isBusy ? (step === undefined ? 'Look into your wallet …' : 'Paying …') : `Take out ${withName(total, token)}`}
      </button>
      {error === undefined && !isBusy && (
        <p class="faint small">Your wallet asks once for each payout; the first time of a balance, twice.</p>
      )}
    </>
  );
}

const Steps = ({ reached }: { readonly reached: WithdrawalStep }) => (
  <p role="status">
    {WITHDRAWAL_STEPS.map((name, at) => (
      <span key={name} class={at <= WITHDRAWAL_STEPS.indexOf(reached) ? '' : 'faint'}>
        {at > 0 && ' · '}
        {name}
      </span>
    ))}
  </p>
);

type DoneProps = {
  readonly plan: Plan;
  readonly token: OwnToken;
  readonly step: WithdrawalStep;
  readonly within: number;
};

const Done = ({ plan: { total, wallet }, token, step, within }: DoneProps) => (
  <Notice
    kind="good"
    title={`${withName(total, token)} ${step === 'paid' ? 'paid' : within > 0 ? 'will be paid' : 'asked for'}`}
  >
    To <code class="break">{wallet}</code>. <a href={href('')}>Your money</a> shows how it gets on.
  </Notice>
);
