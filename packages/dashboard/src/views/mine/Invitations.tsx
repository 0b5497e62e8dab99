import { invitingSession } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { messageSigner } from '@payouts/pages/session/signers';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { useTime } from '@payouts/pages/useTime';
import { useAttempt } from '../../book/useAttempt.ts';
import { chosenTreasury } from '../../employer/chosenTreasury.ts';
import { inviting } from '../../employer/inviting.ts';
import { SignedInOnly } from '../../parts/SignedInOnly.tsx';
import { connectedWallet } from '../../session/wallet.ts';
import { Addresses } from './invitations/Addresses.tsx';
import { sendBy } from './signedSend.ts';
import { ActionTrouble } from './Trouble.tsx';

/** People give an employer their addresses by links: who is asked, what was answered, and what becomes of it. */
export const Invitations = () => (
  <>
    <p class="crumbs">
      <a href={href('mine')}>My payrolls</a>
    </p>
    <h1>Invitations</h1>
    <p>
      People give you the address to pay them at by a link that you send them, with a proof that it is theirs. Nothing
      that is answered counts before you have taken it into a payroll.
    </p>
    <SignedInOnly who="the wallet that owns your vault">{() => <Own />}</SignedInOnly>
  </>
);

function Own() {
  const wallet = connectedWallet.value;
  if (chosenTreasury.value !== undefined) {
    return (
      <Notice kind="info" title="A treasury signs no text, so it can’t open what people would answer.">
        Invitations stay with a wallet that is an employer itself: stop acting for the{' '}
        <a href={href('mine/treasury')}>treasury</a> for them. A treasury’s payroll takes the addresses by its file.
      </Notice>
    );
  }
  if (wallet === undefined) {
    return (
      <p>
        Your own key opens your invitations. Sign in with a wallet of this browser, or run{' '}
        <code>payout invitations</code> where the key is.
      </p>
    );
  }
  const session = inviting.value;
  return session === undefined ? <Opening wallet={wallet} /> : <Addresses session={session} />;
}

/** What was sent and answered is sealed for the employer: their wallet signs a text that opens it. */
function Opening({ wallet }: { readonly wallet: ConnectedWallet }) {
  const time = useTime();
  const { isBusy, error, attempt } = useAttempt();
  const open = async () => {
    inviting.value = await invitingSession(messageSigner(wallet), sendBy(wallet, time));
  };
  return (
    <>
      <p>
        Names and answers are sealed for you. Your wallet signs a text that opens them, twice, so that it is seen to be
        the same each time. It moves no money.
      </p>
      <p class="actions">
        <button type="button" class="primary" disabled={isBusy} onClick={() => attempt(open)}>
          Open my invitations
        </button>
        <span role="status" class="faint">
          {isBusy && `Confirm in ${wallet.name} …`}
        </span>
      </p>
      {error !== undefined && <ActionTrouble error={error} />}
    </>
  );
}
