import type { OwnToken, StandingOrder } from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { place } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import { useState } from 'preact/hooks';
import { type Account, account } from '../account.ts';
import { money, readMoney } from '../money.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { amountFrom, orderText, walletFrom } from '../words.ts';
import { NoToken } from './NoToken.tsx';
import { StandingRounds } from './StandingRounds.tsx';

const DAY_MINUTES = 24 * 60;
/** Minutes within which each release is drawn; 0: at once. */
const DELAYS = [
  { most: 3 * DAY_MINUTES, name: 'At a time drawn within 3 days' },
  { most: 0, name: 'At once' },
] as const;

/** Has money go out by itself. */
export function Order() {
  const token = money.value?.tokens.find(({ mint }) => mint === place.value.query.get('token'));
  const { value: own } = account;
  return (
    <>
      <h1>Standing order</h1>
      <p class="lead">Have pay leave by itself: in rounds, or to one wallet whenever your balance reaches an amount.</p>
      {token === undefined || own === undefined ? (
        <NoToken isRead={money.value !== undefined} />
      ) : (
        <>
          <StandingRounds token={token} account={own} />
          <Form token={token} account={own} />
        </>
      )}
    </>
  );
}

type FormProps = { readonly token: OwnToken; readonly account: Account };

function Form({ token, account: own }: FormProps) {
  const present = token.balances.flatMap(({ order }) => (order === null ? [] : [order]));
  const paid = token.balances.filter(({ place: at }) => at !== null);
  const time = useTime();
  const { isBusy, error, result, run } = useAction<string>();
  const setAll = (order: StandingOrder, said: string) =>
    run(async () => {
      for (const balance of paid) await own.client.setOrder(balance, order);
      await readMoney(time);
      return said;
    });
  if (paid.length === 0) return <p>A standing order can be set once you have been paid for the first time.</p>;
  const end = () =>
    setAll(
      { threshold: 0n, wallet: own.wallet.address, part: null, delayMinutes: { least: 0, most: 0 } },
      'The standing order has ended.',
    );
  return (
    <>
      {present.map((order) => (
        <section key={order.threshold} class="panel" aria-label="Your standing order">
          <p>
            {orderText(order, token)}, to <code class="break">{order.wallet}</code>.
          </p>
          <button type="button" disabled={isBusy} onClick={end}>
            End it
          </button>
        </section>
      ))}
      <Terms token={token} isBusy={isBusy} onSet={(order) => setAll(order, 'The standing order is set.')} />
      <Trouble error={error} />
      {result !== undefined && <Notice kind="good" title={result} />}
    </>
  );
}

type TermsProps = {
  readonly token: OwnToken;
  readonly isBusy: boolean;
  readonly onSet: (order: StandingOrder) => void;
};

function Terms({ token, isBusy, onSet }: TermsProps) {
  const [threshold, setThreshold] = useState('');
  const [part, setPart] = useState('');
  const [to, setTo] = useState('');
  const [most, setMost] = useState<number>(DELAYS[0].most);
  const [isChecked, setChecked] = useState(false);
  const read = {
    threshold: amountFrom(threshold, token.decimals),
    part: part.trim() === '' ? { amount: null } : amountFrom(part, token.decimals),
    to: walletFrom(to),
  };
  const isTooLarge =
    'amount' in read.part &&
    read.part.amount !== null &&
    'amount' in read.threshold &&
    read.part.amount > read.threshold.amount;
  const wrongOf = (field: object) => (isChecked && 'wrong' in field ? (field.wrong as string) : undefined);
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    if ('wrong' in read.threshold || 'wrong' in read.part || 'wrong' in read.to || isTooLarge) return;
    onSet({
      threshold: read.threshold.amount,
      part: read.part.amount,
      wallet: read.to.wallet,
      delayMinutes: { least: 0, most },
    });
  };
  return (
    <form class="panel" onSubmit={submit} aria-labelledby="to-one-wallet">
      <h2 id="to-one-wallet">To one wallet</h2>
      <Field
        label={`When the balance reaches, in ${token.name}`}
        isNumber
        value={threshold}
        onInput={setThreshold}
        wrong={wrongOf(read.threshold)}
      />
      <Field
        label="Send at a time (leave empty: everything)"
        isNumber
        value={part}
        onInput={setPart}
        wrong={wrongOf(read.part) ?? (isChecked && isTooLarge ? 'That is more than the balance has then.' : undefined)}
        hint="A round amount, as others take, says less."
      />
      <Field label="To wallet" value={to} onInput={setTo} wrong={wrongOf(read.to)} />
      <fieldset>
        <legend>When</legend>
        {DELAYS.map((delay) => (
          <label key={delay.most} class="choice">
            <input type="radio" name="delay" checked={most === delay.most} onChange={() => setMost(delay.most)} />
            {delay.name}
          </label>
        ))}
      </fieldset>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Look into your wallet …' : 'Set the standing order'}
      </button>
    </form>
  );
}
