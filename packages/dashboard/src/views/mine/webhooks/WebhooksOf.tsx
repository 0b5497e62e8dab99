import { listWebhooks } from '@payouts/employer';
import { Empty } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../../api/resource.ts';
import { Loaded } from '../../../parts/Trouble.tsx';
import { connectedWallet } from '../../../session/wallet.ts';
import { type AskedChange, ChangeDialog } from '../ChangeDialog.tsx';
import { readBySession, sendBy } from '../signedSend.ts';
import { AddWebhook } from './AddWebhook.tsx';
import { OneWebhook } from './OneWebhook.tsx';

/** Whether messages arrive changes without an event. */
const EVERY_MS = 10_000;

/** The webhooks of a payroll and of its whole vault, and what is done with them. */
export function WebhooksOf({ schedule }: { readonly schedule: Address }) {
  const time = useTime();
  const wallet = connectedWallet.value;
  const send = wallet && sendBy(wallet, time);
  const webhooks = useResource(`webhooks ${schedule}`, () => listWebhooks(readBySession, schedule), {
    concerns: () => false,
    every: EVERY_MS,
  });
  const [change, setChange] = useState<AskedChange>();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <Loaded of={webhooks} what="the webhooks">
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nobody is told of this payroll." />
          ) : (
            all.map((webhook) => (
              <OneWebhook
                key={webhook.id}
                schedule={schedule}
                webhook={webhook}
                send={send}
                onAsk={setChange}
                onChanged={webhooks.refresh}
              />
            ))
          )
        }
      </Loaded>
      {send === undefined ? (
        <p>
          What a webhook is told goes on after this session, so your key itself signs each change. Sign in with a wallet
          of this browser, or run <code>payout webhook</code> where the key is.
        </p>
      ) : (
        <>
          <p class="actions">
            <button type="button" onClick={() => setAdding(true)}>
              Add a webhook
            </button>
            <span class="faint">Your wallet signs each change by itself: it outlasts this session.</span>
          </p>
          <AddWebhook
            schedule={schedule}
            send={send}
            isOpen={isAdding}
            onAdded={webhooks.refresh}
            onClose={() => setAdding(false)}
          />
        </>
      )}
      <ChangeDialog change={change} onClose={() => setChange(undefined)} />
    </>
  );
}
