import type { ListedRun, Token } from '../api/types.ts';
import { durationText } from '../format/time.ts';
import { href } from '../router.ts';
import { Address } from './Address.tsx';
import { Progress } from './Progress.tsx';
import { State } from './State.tsx';
import { Time } from './Time.tsx';

/** A run as a row; which token it pays is not shown. */
type Row = Omit<ListedRun, keyof Token>;

type Props = {
  readonly runs: readonly Row[];
  readonly caption: string;
  readonly isBusy?: boolean;
  /** Where all runs are of one schedule, its address says nothing. */
  readonly ofOne?: boolean;
};

/** Runs as a table; j and k go through its rows, Enter opens one. */
export const RunTable = ({ runs, caption, isBusy = false, ofOne = false }: Props) => (
  <table aria-busy={isBusy}>
    <caption>{caption}</caption>
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">Window</th>
        {!ofOne && <th scope="col">Schedule</th>}
        <th scope="col">Paid</th>
        <th scope="col" class="wide">
          Why
        </th>
        <th scope="col" class="number wide">
          Time to settle
        </th>
        <th scope="col" class="number">
          Due
        </th>
      </tr>
    </thead>
    <tbody>
      {runs.map((run) => (
        <tr key={`${run.schedulePda}:${run.window}`}>
          <td>
            <State state={run.state} />
          </td>
          <td>
            <a
              data-row
              href={href(`runs/${run.schedulePda}/${run.window}`)}
              aria-label={`Window ${run.window} of ${run.schedulePda}`}
            >
              {run.window}
            </a>
          </td>
          {!ofOne && (
            <td>
              <Address address={run.schedulePda} to={href(`schedules/${run.schedulePda}`)} />
            </td>
          )}
          <td>
            <Progress {...run.claims} isQuiet={run.state === 'settled'} />
          </td>
          <td class="wide">{run.errorCode === null ? <Unpaid run={run} /> : <code>{run.errorCode}</code>}</td>
          <td class="number wide">
            {run.dueAt !== null && run.finishedAt !== null ? (
              durationText(run.finishedAt - run.dueAt * 1_000)
            ) : (
              <span class="faint">–</span>
            )}
          </td>
          <td class="number">
            <Time at={run.dueAt === null ? run.createdAt : run.dueAt * 1_000} as="relative" />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Unpaid = ({ run: { unpaid } }: { readonly run: Row }) =>
  unpaid.count === 0 ? <span class="faint">–</span> : <>{unpaid.count.toLocaleString('en')} unpaid</>;
