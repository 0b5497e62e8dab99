import type { SignedSend } from '@payouts/client';
import {
  attemptText,
  type DeliveryJson,
  listDeliveries,
  type ReplayWish,
  replayedText,
  replayingEffects,
  replayWebhook,
} from '@payouts/employer';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../../api/resource.ts';
import { zonedText } from '../../../format/zoned.ts';
import { Loaded } from '../../../parts/Trouble.tsx';
import type { AskedChange } from '../ChangeDialog.tsx';
import { readBySession } from '../signedSend.ts';

const EVERY_MS = 5_000;
const HOUR_MS = 3_600_000;
/** How far back messages can be sent again, in hours; they are kept for 30 days. */
const RANGES = { 1: 'hour', 24: '24 hours', 72: '3 days', 720: '30 days' } as const;

type Props = {
  readonly schedule: Address;
  /** Its id. */
  readonly webhook: string;
  readonly send: SignedSend | undefined;
  readonly onAsk: (change: AskedChange) => void;
};

/** What was sent to a webhook, what came of it, and what sends it again. */
export function Deliveries({ schedule, webhook, send, onAsk }: Props) {
  const time = useTime();
  const sent = useResource(`deliveries ${webhook}`, () => listDeliveries(readBySession, schedule, webhook), {
    concerns: () => false,
    every: EVERY_MS,
  });
  const replay = (by: SignedSend, which: ReplayWish) =>
    onAsk({
      name: 'Send again',
      effects: replayingEffects(webhook, which, zonedText),
      send: async () => {
        const count = await replayWebhook(by, schedule, webhook, which);
        sent.refresh();
        return <Notice kind="good" title={replayedText(count)} />;
      },
    });
  const again = send && ((messageId: string) => replay(send, { messageId }));
  return (
    <Loaded of={sent} what="the deliveries">
      {(all) =>
        all.length === 0 ? (
          <Empty title="Nothing was sent so far." />
        ) : (
          <>
            <Table
              rows={all}
              keyOf={({ messageId }) => messageId}
              caption="The last messages, newest first"
              columns={columnsOf(again)}
            />
            {send !== undefined && <Range onRange={(hours) => replay(send, { since: time.now() - hours * HOUR_MS })} />}
          </>
        )
      }
    </Loaded>
  );
}

const columnsOf = (again: ((messageId: string) => void) | undefined): readonly Column<DeliveryJson>[] => [
  { name: 'When', show: ({ at }) => <Time at={at} as="local" /> },
  {
    name: 'Message',
    show: ({ type, window }) => (
      <>
        <code>{type}</code>
        {window !== null && <span class="faint"> pay run {window}</span>}
      </>
    ),
  },
  { name: 'Outcome', show: (delivery) => <Outcome delivery={delivery} /> },
  { name: 'Message’s id', class: 'wide', show: ({ messageId }) => <code class="break">{messageId}</code> },
  ...(again === undefined ? [] : [againColumn(again)]),
];

const againColumn = (again: (messageId: string) => void): Column<DeliveryJson> => ({
  name: 'Again',
  show: ({ messageId, type }) => (
    <button type="button" class="link" aria-label={`Send again: ${type} ${messageId}`} onClick={() => again(messageId)}>
      Send again
    </button>
  ),
});

const Outcome = ({ delivery: { state, nextAt, attempts } }: { readonly delivery: DeliveryJson }) => (
  <>
    {state}
    {state === 'pending' && nextAt !== null && (
      <>
        , next <Time at={nextAt} as="relative" />
      </>
    )}
    {attempts.map((attempt) => (
      <span key={attempt.at} class="faint">
        {' '}
        · {attemptText(attempt)}
      </span>
    ))}
  </>
);

function Range({ onRange }: { readonly onRange: (hours: number) => void }) {
  const [hours, setHours] = useState('72');
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        onRange(Number(hours));
      }}
    >
      <label>
        All messages of the last
        <select value={hours} onChange={(event) => setHours(event.currentTarget.value)}>
          {Object.entries(RANGES).map(([count, name]) => (
            <option key={count} value={count}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p class="actions">
        <button type="submit">Send them again</button>
      </p>
    </form>
  );
}
