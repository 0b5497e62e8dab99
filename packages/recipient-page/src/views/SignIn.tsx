import { useTime } from '@payouts/pages/useTime';
import { signIn } from '../account.ts';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { Wallets } from '../parts/Wallets.tsx';

/** What this is, and the wallets to sign in with. */
export function SignIn() {
  const time = useTime();
  const { isBusy, error, run } = useAction();
  return (
    <>
      <h1>My pay</h1>
      <p class="lead">See what you were paid, and take it out to any wallet. Your pay is not public.</p>
      <Trouble error={error} />
      <section class="panel" aria-labelledby="with-wallet">
        <h2 id="with-wallet">Sign in with the wallet that your employer pays</h2>
        <Wallets isBusy={isBusy} onChoose={(wallet) => run(() => signIn(wallet, time))} />
        <p class="faint small">
          Your wallet signs one text, which lets this tab read in your name for an hour at most. It moves no money. What
          you see is decrypted in this tab, and gone when you close it.
        </p>
      </section>
    </>
  );
}
