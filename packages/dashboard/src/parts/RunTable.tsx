import type { Token } from '@payouts/pages/format/amount';
import { durationText } from '@payouts/pages/format/time';
import { Address } from '@payouts/pages/parts/Address';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import type { ListedRun } from '../api/types.ts';
import { Progress } from './Progress.tsx';
import { State } from './State.tsx';

/** A run as a row; which token it pays is not shown. */
type Row = Omit<ListedRun, keyof Token>;

type Props = {
  readonly runs: readonly Row[];
  readonly caption: string;
  readonly isBusy?: boolean;
  /** Where all runs are of one schedule, its address says nothing. */
  readonly ofOne?: boolean;
};

export const runKey = ({ schedulePda, window }: Row): string => `${schedulePda}:${window}`;
export const runHref = ({ schedulePda, window }: Row): string => href(`runs/${schedulePda}/${window}`);

const NOTHING = <span class="faint">–</span>;

/** Columns that every table of runs has. */
export const STATE: Column<Row> = { name: 'State', show: ({ state }) => <State state={state} /> };
export const PAID: Column<Row> = {
  name: 'Paid',
  show: ({ claims, state }) => <Progress {...claims} isQuiet={state === 'settled'} />,
};
export const DUE: Column<Row> = {
  name: 'Due',
  class: 'number',
  show: ({ dueAt, createdAt }) => <Time at={dueAt ?? createdAt} as="relative" />,
};

const WINDOW: Column<Row> = {
  name: 'Window',
  show: (run) => (
    <a data-row href={runHref(run)} aria-label={`Window ${run.window} of ${run.schedulePda}`}>
      {run.window}
    </a>
  ),
};
const SCHEDULE: Column<Row> = {
  name: 'Schedule',
  show: ({ schedulePda }) => <Address address={schedulePda} to={href(`schedules/${schedulePda}`)} />,
};
const WHY: Column<Row> = {
  name: 'Why',
  class: 'wide',
  show: ({ errorCode, unpaid }) => {
    if (errorCode !== null) return <code>{errorCode}</code>;
    return unpaid.count === 0 ? NOTHING : `${unpaid.count.toLocaleString('en')} unpaid`;
  },
};
const TIME_TO_SETTLE: Column<Row> = {
  name: 'Time to settle',
  class: 'number wide',
  show: ({ dueAt, finishedAt }) => (dueAt !== null && finishedAt !== null ? durationText(finishedAt - dueAt) : NOTHING),
};

/** Runs as a table; j and k go through its rows, Enter opens one. */
export const RunTable = ({ runs, caption, isBusy = false, ofOne = false }: Props) => (
  <Table
    rows={runs}
    keyOf={runKey}
    caption={caption}
    isBusy={isBusy}
    columns={[STATE, WINDOW, ...(ofOne ? [] : [SCHEDULE]), PAID, WHY, TIME_TO_SETTLE, DUE]}
  />
);
