import type { ListPlan, TokenInfo } from '@payouts/employer';
import { hexOf, listFileName, saltsSecret } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { saveFile } from '@payouts/pages/saveFile';
import { messageSigner } from '@payouts/pages/session/signers';
import { useState } from 'preact/hooks';
import { isClosed, takePeople } from '../../book/book.ts';
import type { Acting } from '../../employer/acting.ts';
import { registerSealed } from '../../employer/registering.ts';
import type { RemoteDesk } from '../../employer/useDesk.ts';
import { CarryOut } from './CarryOut.tsx';

type Props = {
  readonly acting: Acting;
  readonly desk: RemoteDesk;
  readonly plan: ListPlan;
  readonly token: TokenInfo;
  readonly action: string;
  readonly done: string;
};

/** Makes a list, keeps the employer's copy, promises it on the ledger and gives it to the coordinator. */
export function PromiseList({ acting, desk, plan, action, done }: Props) {
  const { address, approver, effects } = plan;
  const { treasury } = acting;
  const [copy, setCopy] = useState('');
  const keepNames = async () => {
    // Names of a book that is closed are not mixed with others.
    if (!isClosed.value) await takePeople(await desk.names());
  };
  const prepare = async (say: (doing: string) => void) => {
    // A treasury has no secret: its salts are drawn anew each time.
    const wallet = treasury === undefined ? acting.wallet : undefined;
    if (wallet !== undefined) say(`Confirm in ${wallet.name} that your recipients keep their balances`);
    const secret = wallet && (await saltsSecret(messageSigner(wallet)));
    say('Making the list');
    const list = await desk.makeList(secret);
    // Kept before its root is promised: nobody could pay it without its order and salts.
    const name = listFileName(address, list.root);
    saveFile(name, await desk.copy(address));
    setCopy(name);
    if (treasury !== undefined) await keepNames();
    const steps = [[await plan.instructionsFor(list, list.held)]];
    return { steps, action: { name: action, of: address, more: [hexOf(list.root)] } };
  };
  const after = async (say: (doing: string) => void) => {
    say('Giving the list to the coordinator');
    await registerSealed(desk, address);
    await keepNames();
  };
  return (
    <CarryOut acting={acting} effects={effects} prepare={prepare} after={after} action={action} done={done}>
      <p>
        Your copy of the list was saved as <code class="break">{copy}</code>. Keep it in a private place: it says who is
        paid how much.
      </p>
      {treasury === undefined ? (
        <>
          {approver !== undefined && <ForApprover desk={desk} address={address} approver={approver} />}
          <p>
            <a class="button" href={href(`mine/${address}`)}>
              To the payroll
            </a>
          </p>
        </>
      ) : (
        <>
          <p>
            Give members who are to check the list the proposal, on a private way. Once it is executed, open your copy
            on the <a href={href(`mine/${address}`)}>payroll’s page</a>: the coordinator takes it then, and pays.
          </p>
          <SaveProposal desk={desk} address={address} />
        </>
      )}
    </CarryOut>
  );
}

type OfProposal = { readonly desk: RemoteDesk } & Pick<ListPlan, 'address'>;

/** Saves what somebody else needs to see whom a list pays. */
function SaveProposal({ desk, address }: OfProposal) {
  const save = async () => saveFile(`proposal-${address}.json`, await desk.proposal(address));
  return (
    <p>
      <button type="button" onClick={save}>
        Save the proposal
      </button>
    </p>
  );
}

type ForApproverProps = OfProposal & { readonly approver: string };

/** What the approver needs: the proposal, and where it is looked at. */
function ForApprover({ desk, address, approver }: ForApproverProps) {
  const link = `${location.origin}/${href(`approve/${address}`)}`;
  return (
    <Notice kind="info" title="It waits for your approver.">
      <p>
        Give <code class="break">{approver}</code> the proposal on a private way, and this address:{' '}
        <a class="break" href={link}>
          {link}
        </a>
      </p>
      <SaveProposal desk={desk} address={address} />
    </Notice>
  );
}
