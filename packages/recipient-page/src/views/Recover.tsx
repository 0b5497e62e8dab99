import { RECOVERY_SECONDS } from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { useTime } from '@payouts/pages/useTime';
import { useState } from 'preact/hooks';
import type { Account } from '../account.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { walletFrom } from '../words.ts';

/** For whoever was named as a recovery wallet: asks for a balance, and takes it over once its owner has had their time. */
export function Recover({ account: { client } }: { readonly account: Account }) {
  const time = useTime();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [checked, setChecked] = useState<'from' | 'both'>();
  // Unix milliseconds from which it can be taken over; 0: it was.
  const { isBusy, error, result: opensAt, run } = useAction<number>();
  const [balance, wallet] = [walletFrom(from), walletFrom(to)];
  const ask = (event: Event) => {
    event.preventDefault();
    setChecked('from');
    if ('wrong' in balance) return;
    run(async () => {
      await client.requestRecovery(balance.wallet);
      return time.now() + RECOVERY_SECONDS * 1_000;
    });
  };
  const takeOver = () => {
    setChecked('both');
    if ('wrong' in balance || 'wrong' in wallet) return;
    run(async () => {
      await client.completeRecovery(balance.wallet, wallet.wallet);
      return 0;
    });
  };
  return (
    <section class="panel" aria-labelledby="recover">
      <h2 id="recover">Recover somebody’s balance</h2>
      <p>
        If they named this wallet and have lost theirs: ask, and take it over fourteen days later, unless they refuse.
      </p>
      <form onSubmit={ask}>
        <Field
          label="Address of the balance, as they were told it"
          value={from}
          onInput={setFrom}
          wrong={checked !== undefined && 'wrong' in balance ? balance.wrong : undefined}
        />
        <button type="submit" disabled={isBusy}>
          Ask for it
        </button>
        <Field
          label="Fourteen days later: to wallet"
          value={to}
          onInput={setTo}
          wrong={checked === 'both' && 'wrong' in wallet ? wallet.wrong : undefined}
        />
        <button type="button" disabled={isBusy} onClick={takeOver}>
          Take it over
        </button>
      </form>
      <Trouble error={error} />
      {opensAt === 0 && (
        <Notice kind="good" title="It goes to that wallet as soon as it is paid, with all that comes." />
      )}
      {opensAt !== undefined && opensAt > 0 && (
        <Notice kind="good" title="Asked for.">
          You can take it over from <Time at={opensAt} as="local" /> on.
        </Notice>
      )}
    </section>
  );
}
