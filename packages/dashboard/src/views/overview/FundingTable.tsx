import { countText, tokenText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Empty } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import type { Funding } from '../../api/types.ts';

/** Windows that are drawn one by one; more are a number. */
const DRAWN = 12;

/** Covered windows as filled squares, and an open one where money is missing. */
export function Reach({ windows, isShort }: { readonly windows: number; readonly isShort: boolean }) {
  const paddedToBlock = Math.min(windows, DRAWN);
  return (
    <span class="reach">
      <svg viewBox={`0 0 ${(DRAWN + 1) * 8} 10`} aria-hidden="true">
        {Array.from({ length: paddedToBlock }, (_, place) => (
          <rect key={place} x={place * 8} y="1" width="6" height="8" rx="1.5" class="covered" />
        ))}
        {isShort && paddedToBlock < DRAWN + 1 && (
          <rect x={paddedToBlock * 8 + 0.5} y="1.5" width="5" height="7" rx="1.5" class="missing" />
        )}
      </svg>
      {countText(windows, 'window')}
    </span>
  );
}

const COLUMNS: readonly Column<Funding>[] = [
  {
    name: 'Schedule',
    show: ({ schedulePda }) => <Address address={schedulePda} to={href(`schedules/${schedulePda}`)} />,
  },
  {
    name: 'Covered',
    show: ({ windowsCovered, shortfall }) => (
      <Reach windows={windowsCovered} isShort={shortfall?.isPromised === true} />
    ),
  },
  { name: 'Reserved', class: 'number wide', show: (fund) => tokenText(fund.reserved, fund) },
  { name: 'Available in the vault', class: 'number wide', show: (fund) => tokenText(fund.available, fund) },
  {
    name: 'Shortfall',
    class: 'number',
    show: (fund) =>
      fund.shortfall?.isPromised === true ? tokenText(fund.shortfall.amount, fund) : <span class="faint">nothing</span>,
  },
  {
    name: 'When',
    show: ({ shortfall }) =>
      shortfall?.isPromised === true ? <Time at={shortfall.dueAt} /> : <span class="faint">–</span>,
  },
];

/** How far the money reaches; whoever runs short first comes first. */
export const FundingTable = ({ funding }: { readonly funding: readonly Funding[] }) => (
  <section aria-labelledby="funding">
    <h2 id="funding">Funding</h2>
    {funding.length === 0 ? (
      <Empty title="No active schedule’s vault has been read." />
    ) : (
      <Table rows={funding} keyOf={({ schedulePda }) => schedulePda} columns={COLUMNS} />
    )}
  </section>
);
