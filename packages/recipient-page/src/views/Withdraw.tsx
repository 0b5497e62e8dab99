import {
  adviceOn,
  drawReleaseTime,
  type FreshWallet,
  heldOf,
  type OwnToken,
  type Part,
  stepOf,
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
import { nextFresh } from '../freshWallets.ts';
import { money, readMoney } from '../money.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { partsFrom } from '../planned.ts';
import { walletFrom, withName } from '../words.ts';
import { NoToken } from './NoToken.tsx';
import { WithdrawInRound } from './WithdrawInRound.tsx';

const DAY = 86_400;
/** Seconds within which a release is drawn; 0: at once. */
const TIMES = [
  { within: 3 * DAY, name: 'At a time drawn within 3 days' },
  { within: 7 * DAY, name: 'At a time drawn within 7 days' },
  { within: 0, name: 'At once' },
] as const;
/** A fresh wallet, before anybody has signed for it. */
const FRESH = { kind: 'fresh', next: undefined } as const;
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
        <Ways token={token} account={own} />
      )}
    </>
  );
}

/** In a round with others, or in one piece. */
function Ways({ token, account: own }: FormProps) {
  const [isInRound, setInRound] = useState(true);
  return (
    <div class="panel">
      <fieldset>
        <legend>How</legend>
        <label class="choice">
          <input type="radio" name="how" checked={isInRound} onChange={() => setInRound(true)} />
          In equal parts, in a round with others
        </label>
        <label class="choice">
          <input type="radio" name="how" checked={!isInRound} onChange={() => setInRound(false)} />
          In one piece, any amount to any wallet
        </label>
      </fieldset>
      {isInRound ? <WithdrawInRound token={token} account={own} /> : <Form token={token} account={own} />}
    </div>
  );
}

/** Where a withdrawal is to go. */
type Destination =
  /** `next`: those that come next, once their owner has signed for them. */
  | { readonly kind: 'fresh'; readonly next: readonly FreshWallet[] | undefined }
  | { readonly kind: 'named'; readonly text: string };

/** What is taken out of one balance, and where it goes; `index`: that of a fresh wallet. */
type Payout = Part & { readonly wallet: Address; readonly index?: number };

/** What a form says is to be done, or what is wrong in it; nothing, if it only has to be signed for. */
type Planned =
  | { readonly payouts: readonly [Payout, ...Payout[]]; readonly total: bigint }
  | { readonly wrong: { readonly amount?: string | undefined; readonly to?: string | undefined } };

function planned(token: OwnToken, amount: string, to: Destination): Planned {
  const from = partsFrom(token, amount);
  const named = to.kind === 'named' ? walletFrom(to.text) : undefined;
  const wrongTo = named !== undefined && 'wrong' in named ? named.wrong : undefined;
  if ('wrong' in from) return { wrong: { amount: from.wrong, to: wrongTo } };
  if (wrongTo !== undefined) return { wrong: { to: wrongTo } };
  const payouts = from.parts.flatMap((part, at): Payout[] => {
    if (named !== undefined) return 'wallet' in named ? [{ ...part, wallet: named.wallet }] : [];
    const fresh = to.kind === 'fresh' ? to.next?.[at] : undefined;
    return fresh === undefined ? [] : [{ ...part, wallet: fresh.address, index: fresh.index }];
  });
  const [first, ...others] = payouts;
  return first === undefined ? { wrong: {} } : { payouts: [first, ...others], total: from.total };
}

type FormProps = { readonly token: OwnToken; readonly account: Account };

function Form({ token, account: own }: FormProps) {
  const [amount, setAmount] = useState('');
  const [to, setTo] = useState<Destination>(FRESH);
  const asking = useAction();
  const [within, setWithin] = useState<number>(TIMES[0].within);
  const [isChecked, setChecked] = useState(false);
  // What is under way is shown as it was begun: the balance is another one by then.
  const [begun, setBegun] = useState<Begun>();
  const plan = begun?.plan ?? planned(token, amount, to);
  const wrong = isChecked && 'wrong' in plan ? plan.wrong : {};
  const held = heldOf(token);
  const askForFresh = async () => {
    const next = await nextFresh(own, token.balances.length);
    // They may have chosen otherwise meanwhile.
    setTo((chosen) => (chosen.kind === 'fresh' ? { kind: 'fresh', next } : chosen));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        const isReady = !('wrong' in plan) || plan.wrong.amount === undefined;
        if (to.kind === 'fresh' && to.next === undefined && isReady) asking.run(askForFresh);
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
      <Where to={to} onChange={setTo} wrong={wrong.to} />
      <fieldset>
        <legend>When</legend>
        {TIMES.map((time) => (
          <label key={time.within} class="choice">
            <input type="radio" name="when" checked={within === time.within} onChange={() => setWithin(time.within)} />
            {time.name}
          </label>
        ))}
      </fieldset>
      <Trouble error={asking.error} />
      {'wrong' in plan ? (
        <button type="submit" class="primary" disabled={asking.isBusy}>
          {asking.isBusy ? 'Look into your wallet …' : 'Check'}
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

type WhereProps = {
  readonly to: Destination;
  readonly onChange: (to: Destination) => void;
  readonly wrong: string | undefined;
};

/** To a fresh wallet, or to which. */
const Where = ({ to, onChange, wrong }: WhereProps) => (
  <>
    <fieldset>
      <legend>Where to</legend>
      <label class="choice">
        <input type="radio" name="to" checked={to.kind === 'fresh'} onChange={() => onChange(FRESH)} />A fresh wallet of
        yours
      </label>
      <label class="choice">
        <input
          type="radio"
          name="to"
          checked={to.kind === 'named'}
          onChange={() => onChange({ kind: 'named', text: '' })}
        />
        Another wallet
      </label>
    </fieldset>
    {to.kind === 'named' ? (
      <Field
        label="To wallet"
        value={to.text}
        onInput={(text) => onChange({ kind: 'named', text })}
        wrong={wrong}
        hint="Any wallet. One that nobody knows as yours says least."
      />
    ) : (
      <p class="faint small">
        One that nobody has seen. Your wallet makes it and finds it again: it signs a text for that, twice the first
        time. <a href={href('wallets')}>Your fresh wallets</a>
      </p>
    )}
  </>
);

type Plan = Exclude<Planned, { readonly wrong: unknown }>;
type Begun = { readonly plan: Plan; readonly held: bigint };
type ConfirmProps = FormProps & Begun & { readonly within: number; readonly onBegin: () => void };

/** What will happen, what others can tell by it, and the button that does it. */
function Confirm({ token, account: own, plan, held, within, onBegin }: ConfirmProps) {
  const { payouts, total } = plan;
  const { wallet: to } = payouts[0];
  const time = useTime();
  const { isBusy, error, result, run } = useAction<WithdrawalStep>();
  const [step, setStep] = useState<WithdrawalStep>();
  const seen = {
    ...{ to, owner: own.wallet.address, amount: total, held, decimals: token.decimals },
    within: within === 0 ? undefined : within,
  };
  const withdraw = async () => {
    onBegin();
    const watched = watchedFrom(payouts.map(({ balance }) => balance));
    for (const { balance, amount, wallet } of payouts) {
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
          {payouts.map(({ balance, amount, wallet, index }) => (
            <li key={balance.address}>
              {withName(amount, token)} go to {index !== undefined && `your fresh wallet ${index}, `}
              <code class="break">{wallet}</code>.
            </li>
          ))}
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

const Done = ({ plan: { total, payouts }, token, step, within }: DoneProps) => (
  <Notice
    kind="good"
    title={`${withName(total, token)} ${step === 'paid' ? 'paid' : within > 0 ? 'will be paid' : 'asked for'}`}
  >
    To{' '}
    {[...new Set(payouts.map(({ wallet }) => wallet))].map((wallet) => (
      <code key={wallet} class="break">
        {wallet}{' '}
      </code>
    ))}
    <br />
    <a href={href('')}>Your money</a> shows how it gets on.
  </Notice>
);
