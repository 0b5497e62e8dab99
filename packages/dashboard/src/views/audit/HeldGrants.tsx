import { countText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import { type AuditGrant, windowsText } from '@payouts/statements';

const COLUMNS: readonly Column<AuditGrant>[] = [
  {
    name: 'Payroll',
    show: ({ schedulePda }) => <Address address={schedulePda} to={href(`schedules/${schedulePda}`)} />,
  },
  { name: 'What', show: (grant) => scopeText(grant) },
  { name: 'Of', class: 'wide', show: (grant) => windowsText(grant) },
  { name: 'Until', show: ({ endsAt }) => <Time at={endsAt} as="local" /> },
];

/** What a grant lets its auditor read. */
export const scopeText = ({ scope, recipients }: Pick<AuditGrant, 'scope' | 'recipients'>): string =>
  scope === 'totals' ? 'totals' : countText(recipients.length, 'named recipient');

/** The grants that this wallet holds. */
export const HeldGrants = ({ grants }: { readonly grants: readonly AuditGrant[] }) => (
  <section aria-labelledby="held">
    <h2 id="held">What you were granted</h2>
    <Table rows={grants} keyOf={({ id }) => id} columns={COLUMNS} />
  </section>
);
