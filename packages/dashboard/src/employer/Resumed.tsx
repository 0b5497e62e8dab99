import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { type ResumedSending, resumeSending } from '@payouts/pages/sending/send';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useState } from 'preact/hooks';
import { connectPage } from './pageLedger.ts';
import { actionFrom, isProposal, type NamedAction } from './sending.ts';

/** What was being sent when the page was left: follows it to its end, and says what became of it. */
export function Resumed() {
  const time = useTime();
  const [found, setFound] = useState<readonly ResumedSending[]>([]);
  const [error, setError] = useState<unknown>();
  const others = ({ signature }: ResumedSending) => found.filter((each) => each.signature !== signature);
  const look = async () => {
    setError(undefined);
    try {
      await resumeSending(await connectPage(time), (one) =>
        setFound((known) => [...known.filter(({ signature }) => signature !== one.signature), one]),
      );
    } catch (reason) {
      setError(reason);
    }
  };
  useEffect(() => {
    void look();
  }, []);
  return (
    <>
      {error !== undefined && (
        <Notice kind="warn" title="It is not known what became of what was being sent when this page was left.">
          <p>{error instanceof Error ? error.message : String(error)}</p>
          <LookAgain onLook={look} />
        </Notice>
      )}
      {found.map((one) => (
        <WhatBecame key={one.signature} of={one} onLook={look} onClose={() => setFound(others(one))} />
      ))}
    </>
  );
}

const LookAgain = ({ onLook }: { readonly onLook: () => void }) => (
  <p>
    <button type="button" onClick={onLook}>
      Look again
    </button>
  </p>
);

type Told = { readonly kind: 'good' | 'warn' | 'info'; readonly title: string; readonly remedy: string };

const AGAIN = 'Nothing has changed. Do it again if you still want it.';
const TOLD: Readonly<Record<ResumedSending['end'], Told>> = {
  asking: { kind: 'info', title: 'This page was left while it was being sent.', remedy: 'Asking the ledger …' },
  landed: {
    kind: 'good',
    title: 'It is done: the ledger has it.',
    remedy: 'This page was left before that was known.',
  },
  expired: { kind: 'warn', title: 'It was not done: the ledger did not get it in time.', remedy: AGAIN },
  failed: { kind: 'warn', title: 'It was not done: the ledger refused it.', remedy: AGAIN },
  refused: { kind: 'warn', title: 'It was not done: the ledger refused it.', remedy: AGAIN },
  unknown: {
    kind: 'warn',
    title: 'The ledger does not say yet what became of it.',
    remedy: 'Look again before you do it once more.',
  },
};

type Props = { readonly of: ResumedSending; readonly onLook: () => void; readonly onClose: () => void };

function WhatBecame({ of: { action, end, signature }, onLook, onClose }: Props) {
  const { kind, title, remedy } = TOLD[end];
  const named = actionFrom(action);
  const { name, of } = named;
  return (
    <Notice kind={kind} title={`${name}: ${title}`}>
      <p>{remedy}</p>
      {end === 'landed' && isList(named) && (
        <p>
          The coordinator may not have its list yet. <a href={href(`mine/${of}`)}>The payroll</a> says so, and takes
          your copy.
        </p>
      )}
      <p class="faint">
        Transaction <code class="break">{signature}</code>
      </p>
      {end === 'unknown' && <LookAgain onLook={onLook} />}
      {end !== 'asking' && end !== 'unknown' && (
        <button type="button" class="link" onClick={onClose}>
          Close
        </button>
      )}
    </Notice>
  );
}

/** Whether an action promises a list: its root is what tells it from others. One that is only proposed promises nothing yet. */
const isList = (action: NamedAction): boolean =>
  !isProposal(action) && (action.more ?? []).some((part) => /^[0-9a-f]{64}$/.test(part));
