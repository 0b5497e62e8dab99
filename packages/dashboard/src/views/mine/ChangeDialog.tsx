import { Dialog } from '@payouts/pages/parts/Dialog';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAttempt } from '../../book/useAttempt.ts';
import { Effects } from './Effects.tsx';
import { ActionTrouble } from './Trouble.tsx';

/** A change that the wallet signs by itself. */
export type AskedChange = {
  readonly name: string;
  /** What will happen, sentence by sentence. */
  readonly effects: readonly string[];
  /** Does it; gives what is shown then. */
  readonly send: () => Promise<ComponentChildren>;
};

type Props = { readonly change: AskedChange | undefined; readonly onClose: () => void };

/** Says what a change will do, and has it signed when it is agreed to. */
export const ChangeDialog = ({ change, onClose }: Props) => (
  <Dialog title={change?.name ?? ''} isOpen={change !== undefined} onClose={onClose}>
    {change !== undefined && <Change change={change} />}
  </Dialog>
);

type ChangeProps = {
  readonly change: AskedChange;
  /** Leads to what was filled in before. */
  readonly onBack?: () => void;
};

/** The same without a dialog of its own. */
export function Change({ change: { name, effects, send }, onBack }: ChangeProps) {
  const { isBusy, error, attempt } = useAttempt();
  const [done, setDone] = useState<ComponentChildren>();
  if (done !== undefined) return <>{done}</>;
  return (
    <div class="carry">
      <Effects sentences={effects} />
      {error !== undefined && <ActionTrouble error={error} />}
      <p class="actions">
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => attempt(async () => setDone(await send()))}
        >
          {name}
        </button>
        {onBack !== undefined && (
          <button type="button" class="quiet" disabled={isBusy} onClick={onBack}>
            Back
          </button>
        )}
        <span role="status" class="faint">
          {isBusy && 'Confirm in your wallet …'}
        </span>
      </p>
    </div>
  );
}
