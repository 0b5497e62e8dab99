import { countText, tokenText } from '@payouts/pages/format/amount';
import { durationText } from '@payouts/pages/format/time';
import { Address } from '@payouts/pages/parts/Address';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import { isAbout } from '../api/live.ts';
import { read } from '../api/request.ts';
import { useResource } from '../api/resource.ts';
import type { RunDetail } from '../api/types.ts';
import { STATE_WORDS } from '../format/words.ts';
import { Progress } from '../parts/Progress.tsx';
import { StateShape } from '../parts/State.tsx';
import { Loaded } from '../parts/Trouble.tsx';
import { Attempts } from './run/Attempts.tsx';
import { Resume } from './run/Resume.tsx';
import { StageLine } from './run/StageLine.tsx';

type Props = { readonly schedule: string; readonly window: string };

/** One window: where it stands, why, what to do, and every try of its stages. */
export function Run({ schedule, window }: Props) {
  const run = useResource(
    `run ${schedule} ${window}`,
    (abort) => read<RunDetail>(`/api/schedules/${schedule}/executions/${window}`, abort),
    { concerns: isAbout(schedule) },
  );
  return (
    <>
      <p class="crumbs">
        <a href={href('runs')}>Runs</a> / <Address address={schedule} to={href(`schedules/${schedule}`)} copy />
      </p>
      <h1>Window {window}</h1>
      <Loaded of={run} what="the run">
        {(data) => <Whole run={data} schedule={schedule} onResumed={run.refresh} />}
      </Loaded>
    </>
  );
}

type WholeProps = {
  readonly run: RunDetail;
  readonly schedule: string;
  readonly onResumed: () => void;
};

function Whole({ run, schedule, onResumed }: WholeProps) {
  const isOver = run.state === 'settled';
  return (
    <>
      <p class={`standing ${run.state}`} role="status">
        <StateShape state={run.state} />
        <span>
          <strong>{STATE_WORDS[run.state].name}.</strong> {STATE_WORDS[run.state].meaning}
        </span>
      </p>
      {!isOver && run.advice !== null && (
        <Notice kind={run.state === 'exhausted' || run.state === 'failed' ? 'bad' : 'warn'} title={run.advice.sentence}>
          <p>{run.advice.remedy}</p>
          <p class="faint">
            {run.errorCode !== null && <code>{run.errorCode}</code>}{' '}
            {run.errorDetail !== run.advice.sentence && run.errorDetail}
          </p>
          {run.resumeAt !== null && (
            <p>
              Next attempt: <Time at={run.resumeAt} />
            </p>
          )}
        </Notice>
      )}
      <Resume run={run} schedule={schedule} onResumed={onResumed} />
      <Facts>
        <Fact name="Paid">
          <Progress {...run.claims} isQuiet={isOver} />
        </Fact>
        {run.unpaid.count > 0 && <Fact name="Unpaid">{unpaidText(run)}</Fact>}
        <Fact name="Amount paid">
          {run.paidAmount === null ? <span class="faint">known once it is final</span> : tokenText(run.paidAmount, run)}
        </Fact>
        {run.dueAt !== null && (
          <Fact name="Due">
            <Time at={run.dueAt} />
          </Fact>
        )}
        <Fact name={isOver ? 'Final' : 'Started'}>{moment(isOver ? run.finishedAt : run.startedAt)}</Fact>
        {run.dueAt !== null && run.finishedAt !== null && run.finishedAt >= run.dueAt && (
          <Fact name="Time to settle">{durationText(run.finishedAt - run.dueAt)}</Fact>
        )}
      </Facts>
      {run.rebuilt && (
        <Notice kind="info" title="Recorded from the base ledger’s history, after the database had lost this run." />
      )}
      <StageLine run={run} />
      <Attempts attempts={run.attempts} />
    </>
  );
}

const moment = (at: number | null) => (at === null ? <span class="faint">not yet</span> : <Time at={at} />);

const unpaidText = ({ unpaid }: RunDetail): string => {
  const reasons = Object.entries(unpaid.reasons).map(([reason, count]) => `${count.toLocaleString('en')} ${reason}`);
  return `${countText(unpaid.count, 'recipient')}${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`;
};
