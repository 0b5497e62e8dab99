import { countText, tokenText } from '@payouts/pages/format/amount';
import { durationText } from '@payouts/pages/format/time';
import { Address } from '@payouts/pages/parts/Address';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { place } from '@payouts/pages/router';
import { isAbout } from '../api/live.ts';
import { read } from '../api/request.ts';
import { useResource } from '../api/resource.ts';
import type { Executions, Schedule as ScheduleData } from '../api/types.ts';
import { tokenOf } from '../format/token.ts';
import { calendarText } from '../format/words.ts';
import { Conditions } from '../parts/Conditions.tsx';
import { Pager } from '../parts/Pager.tsx';
import { RunTable } from '../parts/RunTable.tsx';
import { Loaded } from '../parts/Trouble.tsx';
import { Reach } from './overview/FundingTable.tsx';

const PAGE = 20;
/** Milliseconds: no event tells how far the money reaches. */
const READ_AGAIN_MS = 15_000;

/** A schedule's public face: its terms, how far the money reaches, and its runs. */
export function Schedule({ address }: { readonly address: string }) {
  const cursor = place.value.query.get('cursor') ?? undefined;
  const concerns = isAbout(address);
  const path = `/api/schedules/${address}`;
  const schedule = useResource(`schedule ${address}`, (abort) => read<ScheduleData>(path, abort), {
    concerns,
    every: READ_AGAIN_MS,
  });
  const page = `limit=${PAGE}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
  const isKnown = schedule.data !== undefined;
  const runs = useResource(
    isKnown ? `executions ${address} ${page}` : undefined,
    (abort) => read<Executions>(`${path}/executions?${page}`, abort),
    { concerns },
  );
  return (
    <>
      <h1>
        Schedule <Address address={address} copy />
      </h1>
      <Loaded of={schedule} what="the schedule">
        {(data) => <Terms schedule={data} />}
      </Loaded>
      {isKnown && (
        <section aria-labelledby="runs">
          <h2 id="runs">Windows</h2>
          <Loaded of={runs} what="the runs">
            {({ executions, nextCursor }) =>
              executions.length === 0 ? (
                <Empty title="No window has been due yet. The first runs by itself." />
              ) : (
                <>
                  <RunTable
                    ofOne
                    runs={executions.map((run) => ({ ...run, schedulePda: address }))}
                    caption="Runs, newest first"
                    isBusy={runs.isLoading}
                  />
                  <Pager
                    path={`schedules/${address}`}
                    filters={{}}
                    cursor={cursor}
                    next={nextCursor}
                    shown={executions.length}
                  />
                </>
              )
            }
          </Loaded>
        </section>
      )}
    </>
  );
}

type Proposal = NonNullable<ScheduleData['proposal']>;

/** What waits for the approver, and what holds meanwhile. */
function Waiting({ schedule, proposal }: { readonly schedule: ScheduleData; readonly proposal: Proposal }) {
  const { kind, isNewList, recipients, amountPerExecution, executionsAdded, proposedAt, expiresAt } = proposal;
  const isNew = kind === 'schedule';
  const listText = (count: number, units: string) =>
    `${countText(count, 'recipient')} for ${tokenText(units, tokenOf(schedule))}`;
  const before = listText(schedule.recipients, schedule.amountPerExecution);
  const what = [
    isNewList && !isNew ? `a list of ${listText(recipients, amountPerExecution)} each time, in place of ${before}` : '',
    executionsAdded > 0 ? countText(executionsAdded, 'more window') : '',
  ].filter((text) => text !== '');
  return (
    <Notice kind="info" title={`${isNew ? 'This schedule' : 'A change'} waits for the vault’s approver.`}>
      {what.length > 0 && <>It brings {what.join(', and ')}. </>}
      {isNew ? 'No window opens before they agree.' : 'What was approved before goes on meanwhile.'} It was proposed{' '}
      <Time at={proposedAt} />; they can agree until <Time at={expiresAt} />.
    </Notice>
  );
}

function Terms({ schedule }: { readonly schedule: ScheduleData }) {
  const { funding, mint } = schedule;
  const amount = (units: string) => tokenText(units, tokenOf(schedule));
  return (
    <>
      {schedule.registration.state === 'list-missing' && (
        <Notice kind="warn" title="The list of the current root is not registered here.">
          The employer registers it with <code>payout schedule register</code>; no window opens before.
        </Notice>
      )}
      {schedule.status === 'paused' && (
        <Notice kind="info" title="The employer has paused this schedule.">
          Nothing is paid until they resume it.
        </Notice>
      )}
      <Conditions of={schedule.conditions} />
      {schedule.proposal !== null && <Waiting schedule={schedule} proposal={schedule.proposal} />}
      <Facts>
        <Fact name="Next window">
          {schedule.phase === 'open' && <>window {schedule.window} is open now</>}
          {schedule.phase !== 'open' && schedule.nextWindow === null && (
            <span class="faint">none: {schedule.status}</span>
          )}
          {schedule.nextWindow !== null && (
            <>
              {schedule.nextWindow.number}, <Time at={schedule.nextWindow.dueAt} />
            </>
          )}
        </Fact>
        <Fact name="Paid">{calendarText(schedule.calendar)}</Fact>
        <Fact name="Amount each time">{amount(schedule.amountPerExecution)}</Fact>
        <Fact name="Recipients">{schedule.recipients.toLocaleString('en')}</Fact>
        {schedule.keeps > 0 && <Fact name="End">none: keeps {schedule.keeps} windows reserved</Fact>}
        <Fact name={schedule.keeps > 0 ? 'Windows with fees prepaid' : 'Windows left'}>
          {schedule.executionsLeft.toLocaleString('en')}
        </Fact>
        <Fact name="Payment deadline">{durationText(schedule.batchTimeoutSeconds * 1_000)}</Fact>
        {funding !== null && (
          <>
            <Fact name="Funded for">
              <Reach windows={funding.windowsCovered} isShort={funding.shortfall?.isPromised === true} />
            </Fact>
            <Fact name="Shortfall">
              {funding.shortfall?.isPromised !== true ? (
                <span class="faint">nothing</span>
              ) : (
                <>
                  {amount(funding.shortfall.amount)}, <Time at={funding.shortfall.dueAt} />
                </>
              )}
            </Fact>
            <Fact name="Reserved">{amount(funding.reserved)}</Fact>
            <Fact name="Available in the vault">{amount(funding.available)}</Fact>
            <Fact name="Vault read">
              <Time at={funding.seenAt} />
            </Fact>
          </>
        )}
        <Fact name="Vault">
          <Address address={schedule.vault} copy what="vault’s address" />
        </Fact>
        <Fact name="Token’s mint">
          <Address address={mint} copy what="mint" />
        </Fact>
      </Facts>
    </>
  );
}
