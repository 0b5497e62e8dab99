import type { OpenProposal, ProposedTerms } from '@payouts/employer';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { useState } from 'preact/hooks';
import type { OpenedProposal, RefusedFile } from '../../employer/payrollDesk.ts';
import type { RemoteDesk } from '../../employer/useDesk.ts';
import { Changes } from './PayrollPreview.tsx';
import { ActionTrouble } from './Trouble.tsx';

type Props = {
  readonly desk: RemoteDesk;
  readonly terms: ProposedTerms & Pick<OpenProposal, 'token'>;
  /** What stands there as long as no file is open. */
  readonly hint: string;
  /** Told what is open, or that nothing is any more. */
  readonly onOpened?: (opened: OpenedProposal | undefined) => void;
};

/** Takes a list that somebody was given, proves that it is the one whose root was proposed, and shows what it changes. */
export function ProvenList({ desk, terms: { schedule, proposal, token }, hint, onOpened }: Props) {
  const [opened, setOpened] = useState<OpenedProposal>();
  const [refused, setRefused] = useState<RefusedFile>();
  const [error, setError] = useState<unknown>();
  const show = (found: OpenedProposal | undefined) => {
    setOpened(found);
    onOpened?.(found);
  };
  const open = async (file: File) => {
    show(undefined);
    setRefused(undefined);
    setError(undefined);
    try {
      const found = await desk.openProposal(file, file.name, { schedule, proposal, token });
      if (found.kind === 'proposal') show(found);
      else setRefused(found);
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <>
      <FileDrop label="Open the proposal" accept=".json,application/json" onFile={open} />
      {error !== undefined && <ActionTrouble error={error} />}
      {refused !== undefined && (
        <Notice kind="bad" title="This is not what waits.">
          {refused.sentences.join(' ')}
        </Notice>
      )}
      {opened === undefined ? <p class="faint">{hint}</p> : <Changes desk={desk} comparison={opened} />}
    </>
  );
}
