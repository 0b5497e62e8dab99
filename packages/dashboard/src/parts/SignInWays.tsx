import { sessionCode } from '@payouts/client/browser';
import { Copy } from '@payouts/pages/parts/Address';
import { Notice } from '@payouts/pages/parts/Notice';
import { pageKeys } from '@payouts/pages/session/session';
import { type PageWallet, wallets } from '@payouts/pages/session/wallets';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useState } from 'preact/hooks';
import { ApiProblem } from '../api/problem.ts';
import { signInByWallet, signInPasted } from '../session/signIn.ts';
import { PasteField } from './PasteField.tsx';
import { TroubleNotice } from './Trouble.tsx';

/** Ways to sign in: by a wallet of this browser, or by a command with a key elsewhere. */
export function SignInWays({ onDone }: { readonly onDone: () => void }) {
  const time = useTime();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const attempt = (signIn: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    signIn()
      .then(onDone, setError)
      .finally(() => setBusy(false));
  };
  const withWallet = async (wallet: PageWallet) => {
    await signInByWallet(await wallet.connect(), time);
  };
  return (
    <>
      <p>
        Your wallet signs one text. It says that this tab may ask in your name, for an hour at most. It moves no money.
        What you see then is decrypted in this tab alone, and gone when you reload or close it.
      </p>
      {error !== undefined && <SignInTrouble error={error} />}
      <section aria-labelledby="with-wallet">
        <h3 id="with-wallet">With a wallet of this browser</h3>
        {wallets.value.length === 0 ? (
          <p class="faint">
            None was found. Install or unlock a Solana wallet that signs messages, or use the command below.
          </p>
        ) : (
          <ul class="wallets">
            {wallets.value.map((wallet) => (
              <li key={wallet.name}>
                <button type="button" disabled={isBusy} onClick={() => attempt(() => withWallet(wallet))}>
                  <img src={wallet.icon} alt="" width="20" height="20" />
                  {wallet.name}
                </button>
              </li>
            ))}
          </ul>
        )}
      </section>
      <ByCommand isBusy={isBusy} onPaste={(pasted) => attempt(() => signInPasted(pasted, time))} />
    </>
  );
}

function ByCommand({ isBusy, onPaste }: { readonly isBusy: boolean; readonly onPaste: (pasted: string) => void }) {
  const [command, setCommand] = useState('');
  const [pasted, setPasted] = useState('');
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    pageKeys().then(
      ({ signer, encryption }) =>
        setCommand(
          `payout sign-in ${sessionCode({ session: signer.address, encryption })} --api ${location.origin} --keypair FILE`,
        ),
      setError,
    );
  }, []);
  if (error !== undefined) return <SignInTrouble error={error} />;
  const submit = (event: Event) => {
    event.preventDefault();
    onPaste(pasted);
  };
  return (
    <section aria-labelledby="by-command">
      <h3 id="by-command">With a key file or a seed phrase, by command</h3>
      <p>Run this where the key is, and paste what it prints.</p>
      <p class="command">
        <code>{command}</code> <Copy text={command} what="the command" />
      </p>
      <form onSubmit={submit}>
        <PasteField label="What the command printed" value={pasted} onInput={setPasted} rows={3} />
        <button type="submit" disabled={isBusy || pasted.trim() === ''}>
          Sign in
        </button>
      </form>
    </section>
  );
}

function SignInTrouble({ error }: { readonly error: unknown }) {
  if (error instanceof ApiProblem) return <TroubleNotice error={error} />;
  const said = error instanceof Error && error.message !== '' ? error.message : 'The wallet did not sign.';
  return (
    <Notice kind="bad" title="Not signed in">
      {said}
    </Notice>
  );
}
