import { acceptInvitation, type OpenedInvitation, openLink } from '@payouts/client';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { place } from '@payouts/pages/router';
import { messageSigner } from '@payouts/pages/session/signers';
import { type ConnectedWallet, wallets } from '@payouts/pages/session/wallets';
import { useEffect } from 'preact/hooks';
import { post } from '../api.ts';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { Wallets } from '../parts/Wallets.tsx';

/** Gives an employer the address of a wallet, by the link that they have sent. */
export function Invitation() {
  const [, link = ''] = place.value.path;
  const { error, result: opened, run } = useAction<OpenedInvitation>();
  useEffect(() => run(() => openLink(post, link)), [link]);
  return (
    <>
      <h1>Where do you want to be paid?</h1>
      <Trouble error={error} />
      {opened !== undefined && <Opened opened={opened} />}
    </>
  );
}

function Opened({ opened }: { readonly opened: OpenedInvitation }) {
  const { name, from, vault, expiresAt } = opened;
  const choosing = useAction<ConnectedWallet>();
  const { result: wallet } = choosing;
  const giving = useAction<string>();
  if (giving.result !== undefined) return <Given check={giving.result} />;
  return (
    <>
      <p class="lead">
        {from === '' ? 'An employer' : from} asks {name} for an address to pay. You give it here, and nobody else can
        read it.
      </p>
      <Facts>
        <Fact name="Their vault">
          <code class="break">{vault}</code>
        </Fact>
        <Fact name="Good until">
          <Time at={expiresAt} as="local" />
        </Fact>
      </Facts>
      <section class="panel" aria-labelledby="your-wallet">
        <h2 id="your-wallet">{wallet === undefined ? 'Choose your wallet' : 'Give this address?'}</h2>
        {wallet === undefined ? (
          <Wallets isBusy={choosing.isBusy} onChoose={(chosen) => choosing.run(() => chosen.connect())} />
        ) : (
          <>
            <p>
              <code class="break">{wallet.address}</code>
            </p>
            <p class="actions">
              <button
                type="button"
                class="primary"
                disabled={giving.isBusy}
                onClick={() => giving.run(() => acceptInvitation(post, opened, messageSigner(wallet)))}
              >
                {giving.isBusy ? 'Look into your wallet …' : 'Give this address'}
              </button>
              <button type="button" class="quiet" disabled={giving.isBusy} onClick={choosing.clear}>
                Choose another wallet
              </button>
            </p>
          </>
        )}
        {wallets.value.length > 0 && (
          <p class="faint small">
            Your wallet signs one text, which proves that the address is yours. It names this employer and moves no
            money.
          </p>
        )}
        <Trouble error={choosing.error ?? giving.error} />
      </section>
    </>
  );
}

const Given = ({ check }: { readonly check: string }) => (
  <>
    <Notice kind="good" title="Given. Your employer sees it, and decides.">
      Tell them this code by telephone or face to face, so that they know that the address is yours.
    </Notice>
    <p class="panel code">
      <strong>{check}</strong>
    </p>
  </>
);
