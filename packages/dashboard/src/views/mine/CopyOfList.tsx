import type { OwnSchedule } from '@payouts/employer';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { useState } from 'preact/hooks';
import { registerSealed } from '../../employer/registering.ts';
import { useDesk } from '../../employer/useDesk.ts';
import { ActionTrouble } from './Trouble.tsx';

type Props = { readonly own: OwnSchedule; readonly onRegistered: () => void };

/** Gives the coordinator the employer's own copy of a list that it does not have. */
export function CopyOfList({ own, onRegistered }: Props) {
  const desk = useDesk();
  const [refused, setRefused] = useState('');
  const [error, setError] = useState<unknown>();
  const { address, schedule } = own;
  const open = async (file: File) => {
    setRefused('');
    setError(undefined);
    if (desk === undefined) return;
    try {
      const opened = await desk.openCopy(file, file.name, Uint8Array.from(schedule.root));
      if (opened.kind === 'refused') return setRefused(opened.sentences.join(' '));
      await registerSealed(desk, address);
      onRegistered();
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <Notice kind="warn" title="The coordinator has not the list of this payroll, so nobody is paid.">
      <p>
        Open the copy that was saved when you created or changed it. Only the list that the ledger promises is taken.
      </p>
      <FileDrop label="Open your copy" accept=".json,application/json" onFile={open} />
      {refused !== '' && <p class="wrong">{refused}</p>}
      {error !== undefined && <ActionTrouble error={error} />}
    </Notice>
  );
}
