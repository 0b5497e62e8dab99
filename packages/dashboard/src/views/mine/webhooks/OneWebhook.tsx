import type { SignedSend } from '@payouts/client';
import {
  attemptText,
  type DeliveryJson,
  removeWebhook,
  removingEffects,
  rotateWebhook,
  rotatingEffects,
  testWebhook,
  type WebhookJson,
  webhookScope,
  webhookStanding,
} from '@payouts/employer';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useAttempt } from '../../../book/useAttempt.ts';
import { zonedText } from '../../../format/zoned.ts';
import type { AskedChange } from '../ChangeDialog.tsx';
import { ActionTrouble } from '../Trouble.tsx';
import { Deliveries } from './Deliveries.tsx';
import { Secret } from './Secret.tsx';
import { TYPES } from './words.ts';

type Props = {
  readonly schedule: Address;
  readonly webhook: WebhookJson;
  /** Undefined: nobody here can sign a change. */
  readonly send: SignedSend | undefined;
  readonly onAsk: (change: AskedChange) => void;
  readonly onChanged: () => void;
};

/** Where a webhook tells what, how it stands, and what is done with it. */
export function OneWebhook(props: Props) {
  const { schedule, webhook, send, onAsk } = props;
  const { id, url, types, encrypts } = webhook;
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-labelledby={id}>
      <h2 id={id} class="break">
        {url}
      </h2>
      <Facts>
        <Fact name="Status">{webhookStanding(webhook, zonedText)}</Fact>
        <Fact name="Tells of">{webhookScope(webhook)}</Fact>
        <Fact name="Messages">{types.length === TYPES.length ? 'all' : types.join(', ')}</Fact>
        <Fact name="Unpaid recipients">{encrypts ? 'named to the holder of the key' : 'counted, not named'}</Fact>
      </Facts>
      <Doings {...props} isOpen={isOpen} onOpen={() => setOpen(!isOpen)} />
      {isOpen && <Deliveries schedule={schedule} webhook={id} send={send} onAsk={onAsk} />}
    </section>
  );
}

type DoingsProps = Props & { readonly isOpen: boolean; readonly onOpen: () => void };

function Doings({ schedule, webhook: { id, url }, send, onAsk, onChanged, isOpen, onOpen }: DoingsProps) {
  const time = useTime();
  const { isBusy, error, attempt } = useAttempt();
  const [tested, setTested] = useState<DeliveryJson>();
  const test = (by: SignedSend) => () =>
    attempt(async () => {
      setTested(undefined);
      setTested(await testWebhook(by, schedule, id, time));
      onChanged();
    });
  const rotate = (by: SignedSend) => async () => {
    const webhook = await rotateWebhook(by, schedule, id);
    onChanged();
    return <Secret webhook={webhook} />;
  };
  const remove = (by: SignedSend) => async () => {
    await removeWebhook(by, schedule, id);
    onChanged();
    return <Notice kind="good" title="Removed." />;
  };
  return (
    <>
      <p class="actions">
        {send !== undefined && (
          <button type="button" aria-label={`Send a test to ${url}`} disabled={isBusy} onClick={test(send)}>
            Send a test
          </button>
        )}
        <button type="button" aria-label={`Deliveries to ${url}`} aria-expanded={isOpen} onClick={onOpen}>
          Deliveries
        </button>
        {send !== undefined && (
          <>
            <button
              type="button"
              aria-label={`New secret for ${url}`}
              onClick={() => onAsk({ name: 'Make a new secret', effects: rotatingEffects(id), send: rotate(send) })}
            >
              New secret
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${url}`}
              onClick={() => onAsk({ name: 'Remove the webhook', effects: removingEffects(id), send: remove(send) })}
            >
              Remove
            </button>
          </>
        )}
        <span role="status" class="faint">
          {isBusy && 'Confirm in your wallet, and wait for the answer …'}
        </span>
      </p>
      {error !== undefined && <ActionTrouble error={error} />}
      {tested !== undefined && <Tested sent={tested} />}
    </>
  );
}

/** What came of a test. */
function Tested({ sent: { state, attempts } }: { readonly sent: DeliveryJson }) {
  const said = attempts.map(attemptText).join(', ');
  return state === 'delivered' ? (
    <Notice kind="good" title="The test arrived.">
      {said}
    </Notice>
  ) : (
    <Notice kind="bad" title="The test did not arrive.">
      {said}
    </Notice>
  );
}
