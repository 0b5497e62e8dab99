import { type ProofFile, readLayerLoss } from '@payouts/client';
import { isWindowRecorded, type OwnSchedule, proofFileIn, reclaimWindow } from '@payouts/employer';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { useAttempt } from '../../book/useAttempt.ts';
import type { Acting } from '../../employer/acting.ts';
import type { AskedAction } from './ActionDialog.tsx';
import { ActionTrouble } from './Trouble.tsx';

/** A layer is lost once in a lifetime, and its loss is declared a day ahead. */
const EVERY_MS = 10_000;

type Props = {
  readonly acting: Acting;
  /** A pay run of it is open. */
  readonly own: OwnSchedule;
  readonly onAction: (action: AskedAction) => void;
};

/** If the execution layer is lost: what the open pay run has not paid comes back to the vault. Else nothing. */
export function Reclaim({ acting, own, onAction }: Props) {
  const { ledgers } = acting;
  const { address, schedule } = own;
  const lost = useResource(
    `loss ${address} ${schedule.window}`,
    async () => {
      const loss = await readLayerLoss(ledgers);
      return { loss, isRecorded: loss.state === 'lost' && (await isWindowRecorded(ledgers, schedule)) };
    },
    { concerns: () => false, every: EVERY_MS },
  );
  const [proof, setProof] = useState<ProofFile>();
  const { isBusy, error, attempt } = useAttempt();
  if (lost.data === undefined || lost.data.loss.state === 'none') return null;
  const { loss, isRecorded } = lost.data;
  if (loss.state === 'declared') {
    return (
      <Notice kind="warn" title="The execution layer is declared lost.">
        If that is not taken back, you can bring what this pay run has not paid back to your vault from{' '}
        <Time at={loss.from} /> on.
      </Notice>
    );
  }
  const open = (file: File) => attempt(async () => setProof(proofFileIn(await file.text(), file.name)));
  return (
    <Notice kind="warn" title="The execution layer is lost, so this pay run can’t be paid to its end.">
      <p>What it has not paid comes back to your vault, and the payroll ends with it.</p>
      {isRecorded && (
        <>
          <p>
            What it has paid is recorded, and takes a proof. The coordinator’s operator makes its file:{' '}
            <code class="break">payout operator liability-proof --balance {address}</code>
          </p>
          <FileDrop
            label={proof === undefined ? 'Open the proof file' : 'Open another proof file'}
            accept=".json,application/json"
            isBusy={isBusy}
            onFile={open}
          />
        </>
      )}
      {error !== undefined && <ActionTrouble error={error} />}
      {(!isRecorded || proof !== undefined) && (
        <p>
          <button
            type="button"
            class="primary"
            onClick={() => onAction({ name: 'Reclaim the pay run', plan: () => reclaimWindow(own, address, proof) })}
          >
            Reclaim the pay run
          </button>
        </p>
      )}
    </Notice>
  );
}
