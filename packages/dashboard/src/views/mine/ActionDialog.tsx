import type { PlannedChange } from '@payouts/employer';
import { Dialog } from '@payouts/pages/parts/Dialog';
import type { Address } from '@solana/kit';
import { useEffect, useState } from 'preact/hooks';
import type { Acting } from '../../employer/acting.ts';
import type { NamedAction } from '../../employer/sending.ts';
import { CarryOut } from './CarryOut.tsx';
import { PayDays, type ShownDays } from './PayDays.tsx';
import { ActionTrouble } from './Trouble.tsx';

/** Something that is done by one button: its name, and what it would do. */
export type AskedAction = {
  readonly name: string;
  readonly plan: () => Promise<PlannedAction>;
  /** Dates that are signed with it. */
  readonly days?: ShownDays;
};

/** `coSigner`: who signs, too, somewhere else; `warnings`: what is to be known before all else. */
export type PlannedAction = PlannedChange & {
  readonly coSigner?: Address | undefined;
  readonly warnings?: readonly string[];
};

type Props = {
  readonly acting: Acting;
  readonly action: AskedAction | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Says what an action will do, and does it when that is agreed to. */
export const ActionDialog = ({ action, onClose, ...rest }: Props) => (
  <Dialog title={action?.name ?? ''} isOpen={action !== undefined} onClose={onClose}>
    {action !== undefined && <Planned action={action} {...rest} />}
  </Dialog>
);

function Planned({ acting, action, onDone }: Omit<Props, 'onClose'> & { readonly action: AskedAction }) {
  const [planned, setPlanned] = useState<PlannedAction>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    action.plan().then(setPlanned, setError);
  }, [action]);
  if (error !== undefined) return <ActionTrouble error={error} />;
  if (planned === undefined) return <p role="status">Reading the ledger …</p>;
  const { effects, warnings, done, coSigner } = planned;
  // Planned once more: the ledger may have changed while somebody was reading.
  const prepare = async () => {
    const { plan, steps } = await action.plan();
    return { steps, action: publicAction(action, plan) };
  };
  return (
    <>
      {action.days !== undefined && <PayDays {...action.days} />}
      <CarryOut
        acting={acting}
        effects={effects}
        warnings={warnings}
        prepare={prepare}
        coSigner={coSigner}
        done={done}
        onDone={onDone}
        action={action.name}
      />
    </>
  );
}

/** What of a plan everybody sees on the ledger. A recipient is not. */
type PublicPlan = {
  readonly treasury?: string;
  readonly schedule?: string;
  readonly vault?: string;
  readonly mint?: string;
  readonly amount?: bigint;
  readonly executions?: number;
  readonly indexes?: readonly number[];
};

/** Names what is done by what is public of it, so that it is known again after a reload. */
function publicAction({ name, days }: AskedAction, plan: PublicPlan): NamedAction {
  const { treasury, schedule, vault, mint, amount, executions, indexes } = plan;
  // What a recipient gets is not public; what goes in and out of a vault is.
  const more = [vault === undefined ? undefined : amount, executions, indexes, days?.days];
  return {
    name,
    of: treasury ?? schedule ?? vault ?? mint ?? '',
    more: more.filter((part) => part !== undefined).map(String),
  };
}
