import type { PlannedChange } from '@payouts/employer';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { useEffect, useState } from 'preact/hooks';
import type { Acting } from '../../employer/acting.ts';
import { CarryOut } from './CarryOut.tsx';
import { ActionTrouble } from './Trouble.tsx';

/** Something that is done by one button: its name, and what it would do. */
export type Action = {
  readonly name: string;
  readonly plan: () => Promise<PlannedChange>;
};

type Props = {
  readonly acting: Acting;
  readonly action: Action | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Says what an action will do, and does it when that is agreed to. */
export const ActionDialog = ({ action, onClose, ...rest }: Props) => (
  <Dialog title={action?.name ?? ''} isOpen={action !== undefined} onClose={onClose}>
    {action !== undefined && <Planned action={action} {...rest} />}
  </Dialog>
);

function Planned({ acting, action, onDone }: Omit<Props, 'onClose'> & { readonly action: Action }) {
  const [planned, setPlanned] = useState<PlannedChange>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    action.plan().then(setPlanned, setError);
  }, [action]);
  if (error !== undefined) return <ActionTrouble error={error} />;
  if (planned === undefined) return <p role="status">Reading the ledger …</p>;
  const { effects, steps, done } = planned;
  return (
    <CarryOut
      acting={acting}
      effects={effects}
      prepare={() => Promise.resolve(steps)}
      done={done}
      onDone={onDone}
      action={action.name}
    />
  );
}
