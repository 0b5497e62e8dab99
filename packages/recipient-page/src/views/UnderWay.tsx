import type { OwnToken, RecipientBalance, TransferUnderWay, WithdrawalUnderWay } from '@payouts/client';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { Time } from '@payouts/pages/parts/Time';
import { useState } from 'preact/hooks';
import { account } from '../account.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { UNDER_WAY, walletFrom, withName } from '../words.ts';

type Own = { readonly balance: RecipientBalance; readonly withdrawal: WithdrawalUnderWay };
type OwnTransfer = { readonly balance: RecipientBalance; readonly transfer: TransferUnderWay };
type Props = { readonly token: OwnToken; readonly onChange: () => void };

/** What of a token is on its way out, and what can still be changed. */
export function UnderWay({ token, onChange }: Props) {
  const all = token.balances.flatMap((balance) => balance.withdrawals.map((withdrawal) => ({ balance, withdrawal })));
  const transfers = token.balances.flatMap((balance) => balance.transfers.map((transfer) => ({ balance, transfer })));
  if (all.length + transfers.length === 0) return null;
  return (
    <>
      <h2>On the way</h2>
      <ul class="under-way">
        {all.map((own) => (
          <Item key={`${own.balance.address} ${own.withdrawal.id}`} own={own} token={token} onChange={onChange} />
        ))}
        {transfers.map((own) => (
          <Transfer key={`${own.balance.address} ${own.transfer.id}`} own={own} token={token} onChange={onChange} />
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
        <Cancel of={{ ...own.withdrawal, balance: own.balance }} what="withdrawal" token={token} onChange={done} />
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

/** A private transfer that waits to be made: most are within seconds. */
function Transfer({ own, token, onChange }: Props & { readonly own: OwnTransfer }) {
  const { amount, paymentCode, id } = own.transfer;
  const [isAsked, setAsked] = useState(false);
  const close = () => setAsked(false);
  const done = () => {
    close();
    onChange();
  };
  return (
    <li>
      <strong>{withName(amount, token)}</strong> inside, to <code class="break">{paymentCode}</code>
      <br />
      <span>About to move</span>
      <span class="actions">
        <button type="button" class="quiet" onClick={() => setAsked(true)}>
          Cancel
        </button>
      </span>
      <Dialog title="Cancel this transfer" isOpen={isAsked} onClose={close}>
        <Cancel of={{ balance: own.balance, id, amount }} what="transfer" token={token} onChange={done} />
      </Dialog>
    </li>
  );
}

/** What waits in a balance, by its number among the balance's own. */
type Waiting = Pick<TransferUnderWay, 'id' | 'amount'> & { readonly balance: RecipientBalance };
type CancelProps = Props & { readonly of: Waiting; readonly what: 'withdrawal' | 'transfer' };

function Cancel({ of: { balance, id, amount }, what, token, onChange }: CancelProps) {
  const { isBusy, error, run } = useAction();
  const cancel = async () => {
    await account.value?.client.cancel(balance, id);
    onChange();
  };
  return (
    <>
      <p>{withName(amount, token)} stay in your private balance. Nobody sees that you had asked for them.</p>
      <Trouble error={error} />
      <button type="button" class="primary" disabled={isBusy} onClick={() => run(cancel)}>
        {isBusy ? 'Look into your wallet …' : `Cancel the ${what}`}
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
