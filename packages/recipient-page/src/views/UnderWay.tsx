import type { OwnToken, RecipientBalance, WithdrawalUnderWay } from '@payouts/client';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { Time } from '@payouts/pages/parts/Time';
import { useState } from 'preact/hooks';
import { account } from '../account.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { UNDER_WAY, walletFrom, withName } from '../words.ts';

type Own = { readonly balance: RecipientBalance; readonly withdrawal: WithdrawalUnderWay };
type Props = { readonly token: OwnToken; readonly onChange: () => void };

/** What of a token is on its way out, and what can still be changed. */
export function UnderWay({ token, onChange }: Props) {
  const all = token.balances.flatMap((balance) => balance.withdrawals.map((withdrawal) => ({ balance, withdrawal })));
  if (all.length === 0) return null;
  return (
    <>
      <h2>On the way</h2>
      <ul class="under-way">
        {all.map((own) => (
          <Item key={`${own.balance.address} ${own.withdrawal.id}`} own={own} token={token} onChange={onChange} />
        ))}
      </ul>
    </>
  );
}

function Item({ own, token, onChange }: Props & { readonly own: Own }) {
  const { amount, state, wallet, releaseAt, inRound } = own.withdrawal;
  const [asked, setAsked] = useState<'cancel' | 'redirect' | 'now'>();
  const close = () => setAsked(undefined);
  const done = () => {
    close();
    onChange();
  };
  return (
    <li>
      <strong>{withName(amount, token)}</strong> to <code class="break">{wallet}</code>
      <br />
      <span>
        {inRound ? 'Waits for its round, at the latest' : UNDER_WAY[state]}
        {releaseAt !== null && (
          <>
            : <Time at={releaseAt} />
          </>
        )}
      </span>
      {state !== 'paid' && (
        <span class="actions">
          {state === 'waiting' && (
            <>
              <button type="button" class="quiet" onClick={() => setAsked('cancel')}>
                Cancel
              </button>
              <button type="button" class="quiet" onClick={() => setAsked('now')}>
                Now
              </button>
            </>
          )}
          <button type="button" class="quiet" onClick={() => setAsked('redirect')}>
            Send elsewhere
          </button>
        </span>
      )}
      <Dialog title="Cancel this withdrawal" isOpen={asked === 'cancel'} onClose={close}>
        <Cancel own={own} token={token} onChange={done} />
      </Dialog>
      <Dialog title="Take it out now" isOpen={asked === 'now'} onClose={close}>
        <TakeOutNow own={own} token={token} onChange={done} />
      </Dialog>
      <Dialog title="Send it to another wallet" isOpen={asked === 'redirect'} onClose={close}>
        <Redirect own={own} token={token} onChange={done} />
      </Dialog>
    </li>
  );
}

function Cancel({ own: { balance, withdrawal }, token, onChange }: Props & { readonly own: Own }) {
  const { isBusy, error, run } = useAction();
  const cancel = async () => {
    await account.value?.client.cancel(balance, withdrawal.id);
    onChange();
  };
  return (
    <>
      <p>{withName(withdrawal.amount, token)} stay in your private balance. Nobody sees that you had asked for them.</p>
      <Trouble error={error} />
      <button type="button" class="primary" disabled={isBusy} onClick={() => run(cancel)}>
        {isBusy ? 'Look into your wallet …' : 'Cancel the withdrawal'}
      </button>
    </>
  );
}

function TakeOutNow({ own: { balance, withdrawal }, token, onChange }: Props & { readonly own: Own }) {
  const { isBusy, error, run } = useAction();
  const release = async () => {
    await account.value?.client.redirect(balance, withdrawal.id, withdrawal.wallet);
    onChange();
  };
  return (
    <>
      <p>
        {withName(withdrawal.amount, token)} leave at once, by themselves: whoever knows when you are paid can compare.
      </p>
      <Trouble error={error} />
      <button type="button" class="primary" disabled={isBusy} onClick={() => run(release)}>
        {isBusy ? 'Look into your wallet …' : 'Take it out at once'}
      </button>
    </>
  );
}

function Redirect({ own: { balance, withdrawal }, token, onChange }: Props & { readonly own: Own }) {
  const [to, setTo] = useState('');
  const [isChecked, setChecked] = useState(false);
  const { isBusy, error, run } = useAction();
  const read = walletFrom(to);
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    if ('wrong' in read) return;
    run(async () => {
      const release = withdrawal.inRound ? 'in-round' : 0n;
      await account.value?.client.redirect(balance, withdrawal.id, read.wallet, release);
      onChange();
    });
  };
  return (
    <form onSubmit={submit}>
      <Field
        label="New wallet"
        value={to}
        onInput={setTo}
        wrong={isChecked && 'wrong' in read ? read.wrong : undefined}
      />
      <p>
        {withName(withdrawal.amount, token)} go there
        {withdrawal.number === null
          ? withdrawal.inRound
            ? ' in their round.'
            : ' at once.'
          : ' unless they were paid already: they are paid once, to whichever wallet the ledger sees first.'}
      </p>
      <Trouble error={error} />
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Look into your wallet …' : 'Send it there'}
      </button>
    </form>
  );
}
