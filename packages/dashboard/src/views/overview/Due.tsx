import { tokenText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Empty } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import type { NextDue } from '../../api/types.ts';

const SHOWN = 8;

const COLUMNS: readonly Column<NextDue>[] = [
  { name: 'Due', show: ({ dueAt }) => <Time at={dueAt} as="relative" /> },
  {
    name: 'Schedule',
    show: ({ schedulePda }) => <Address address={schedulePda} to={href(`schedules/${schedulePda}`)} />,
  },
  { name: 'Amount', class: 'number', show: (due) => tokenText(due.amountPerExecution, due) },
  { name: 'Money', show: ({ isCovered }) => <Money isCovered={isCovered} /> },
];

/** What is due next, and whether the money is there. */
export const Due = ({ windows }: { readonly windows: readonly NextDue[] }) => (
  <section aria-labelledby="due">
    <h2 id="due">Due next</h2>
    {windows.length === 0 ? (
      <Empty title="No window is to come." />
    ) : (
      <Table
        rows={windows.slice(0, SHOWN)}
        keyOf={({ schedulePda, window }) => `${schedulePda}:${window}`}
        columns={COLUMNS}
      />
    )}
  </section>
);

function Money({ isCovered }: Pick<NextDue, 'isCovered'>) {
  if (isCovered === null) return <span class="faint">unknown</span>;
  return isCovered ? <>Funded</> : <span class="bad-text">! Short</span>;
}
