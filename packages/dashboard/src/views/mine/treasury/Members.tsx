import { type RoleHolder, setRole } from '@payouts/employer';
import { Address } from '@payouts/pages/parts/Address';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { useState } from 'preact/hooks';
import type { Acting } from '../../../employer/acting.ts';
import { ActionDialog, type AskedAction } from '../ActionDialog.tsx';

type Props = {
  readonly acting: Acting;
  readonly holders: readonly RoleHolder[];
  readonly onProposed: () => void;
};

/** Who may do what for a treasury, and how the wallet here gets to read for it. */
export function Members({ acting, holders, onProposed }: Props) {
  const [action, setAction] = useState<AskedAction>();
  const { signer } = acting;
  const mayRead = holders.some(({ address, roles }) => address === signer && roles.some(isReading));
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members and readers</h2>
      <p>
        Members decide. Viewers and clerks read with the coordinator what the treasury can’t sign for, such as its list
        and payslips; being a member lets nobody read.
      </p>
      <Table rows={holders} keyOf={({ address, roles }) => `${address} ${roles.join()}`} columns={columnsFor(signer)} />
      {!mayRead && (
        <p class="actions">
          <button
            type="button"
            onClick={() => setAction({ name: 'Let this wallet read', plan: () => setRole(acting, signer, 'viewer') })}
          >
            Let this wallet read
          </button>
        </p>
      )}
      <ActionDialog
        acting={acting}
        action={action}
        onDone={onProposed}
        onClose={() => {
          setAction(undefined);
          onProposed();
        }}
      />
    </section>
  );
}

const isReading = (role: RoleHolder['roles'][number]): boolean => role === 'viewer' || role === 'clerk';

const columnsFor = (signer: string): readonly Column<RoleHolder>[] => [
  {
    name: 'Who',
    show: ({ address }) => (
      <>
        <Address address={address} copy />
        {address === signer && <strong> you</strong>}
      </>
    ),
  },
  { name: 'Role', show: ({ roles }) => roles.join(', ') || 'none' },
  {
    name: 'Since',
    class: 'wide',
    show: ({ since }) => (since === undefined ? <span class="faint">not kept</span> : <Time at={since} />),
  },
];
