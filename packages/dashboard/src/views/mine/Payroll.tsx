import { calendarFromLedger, dueAt, millisOf, NO_DATE, reservedWindows, SchedulePhase } from '@payouts/client';
import {
  closeSchedule,
  hasEnded,
  type OwnSchedule,
  ownSchedule,
  STATUS_NAMES,
  type StatusChangeName,
  statusChange,
  statusChangesOf,
  withName,
} from '@payouts/employer';
import { countText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import type { Address as LedgerAddress } from '@solana/kit';
import { useEffect, useState } from 'preact/hooks';
import { isAbout } from '../../api/live.ts';
import { isNotFound } from '../../api/problem.ts';
import { read } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import type { Schedule } from '../../api/types.ts';
import type { Acting } from '../../employer/acting.ts';
import { calendarText } from '../../format/words.ts';
import { SignedInOnly } from '../../parts/SignedInOnly.tsx';
import { Loaded } from '../../parts/Trouble.tsx';
import { ActionDialog, type AskedAction } from './ActionDialog.tsx';
import { AddPayRuns } from './AddPayRuns.tsx';
import { CopyOfList } from './CopyOfList.tsx';
import { List } from './List.tsx';
import { OnLedger } from './OnLedger.tsx';
import { Payslips } from './Payslips.tsx';
import { Reclaim } from './Reclaim.tsx';

/** Events tell of pay runs alone: not of what an approver agrees to, or another tab does. */
const EVERY_MS = 5_000;

/** A payroll of the employer's: where it stands, what can be done with it, and who is paid. */
export const Payroll = ({ address }: { readonly address: string }) => (
  <>
    <p class="crumbs">
      <a href={href('mine')}>My payrolls</a>
    </p>
    <h1>
      Payroll <Address address={address} copy />
    </h1>
    <SignedInOnly who="the wallet that owns the payroll">
      {() => <Own address={address as LedgerAddress} />}
    </SignedInOnly>
  </>
);

/** The list comes from the coordinator, all else from the ledger. */
function Own({ address }: { readonly address: LedgerAddress }) {
  const concerns = isAbout(address);
  const path = `/api/schedules/${address}`;
  const known = useResource(`registered ${address}`, (abort) => read<Schedule>(path, abort), {
    concerns,
    every: EVERY_MS,
  });
  const [own, setOwn] = useState<OwnSchedule>();
  const [action, setAction] = useState<AskedAction>();
  const [isGone, setGone] = useState(false);
  if (isGone) {
    return (
      <Notice kind="good" title="Closed. Its rent has come back.">
        <a href={href('mine')}>My payrolls</a>
      </Notice>
    );
  }
  return (
    <>
      <OnLedger>
        {(acting) => (
          <Ledger
            acting={acting}
            address={address}
            known={known}
            action={action}
            onAction={setAction}
            onRead={setOwn}
            onGone={() => setGone(true)}
          />
        )}
      </OnLedger>
      {known.data !== undefined && <List schedule={known.data} own={own} onAction={setAction} />}
      {known.data !== undefined && <Payslips schedule={address} />}
    </>
  );
}

type LedgerProps = {
  readonly acting: Acting;
  readonly address: LedgerAddress;
  readonly known: Resource<Schedule>;
  readonly action: AskedAction | undefined;
  readonly onAction: (action: AskedAction | undefined) => void;
  readonly onRead: (own: OwnSchedule) => void;
  readonly onGone: () => void;
};

/** A payroll as the ledger has it, and what is done with it there. */
function Ledger({ acting, address, known, action, onAction, onRead, onGone }: LedgerProps) {
  const own = useResource(`own schedule ${address}`, () => ownSchedule(acting, address), {
    concerns: isAbout(address),
    every: EVERY_MS,
  });
  useEffect(() => {
    if (own.data !== undefined) onRead(own.data);
  }, [own.data]);
  const done = () => {
    if (action?.name === CLOSE) onGone();
    else own.refresh();
  };
  return (
    <Loaded of={own} what="the payroll">
      {(schedule) => (
        <>
          <Standing own={schedule} known={known} />
          {schedule.schedule.phase === SchedulePhase.Open && (
            <Reclaim acting={acting} own={schedule} onAction={onAction} />
          )}
          <Actions own={schedule} onAction={onAction} />
          <ActionDialog acting={acting} action={action} onDone={done} onClose={() => onAction(undefined)} />
        </>
      )}
    </Loaded>
  );
}

type StandingProps = { readonly own: OwnSchedule; readonly known: Resource<Schedule> };

/** Where a payroll stands on the ledger, and what needs attention. */
function Standing({ own, known }: StandingProps) {
  const { schedule, token, address } = own;
  const isOpen = schedule.phase === SchedulePhase.Open;
  const isToGoOn = !hasEnded(schedule) && (schedule.executionsLeft > 0 || schedule.kept > 0);
  // One that does not answer may know it.
  const isUnknown = isNotFound(known.error) || known.data?.registration.state === 'list-missing';
  return (
    <>
      {isUnknown && <CopyOfList own={own} onRegistered={known.refresh} />}
      {schedule.proposedAt !== 0n && (
        <Notice kind="info" title="Something waits for the vault’s approver.">
          <a href={href(`approve/${address}`)}>See what waits, or take it back</a>
        </Notice>
      )}
      <Facts>
        <Fact name="Status">{STATUS_NAMES[schedule.status]}</Fact>
        <Fact name="Each pay run">
          {withName(schedule.amount, token)} to {countText(schedule.recipients, 'person', 'people')}
        </Fact>
        <Fact name="Paid">{calendarText(calendarFromLedger(schedule))}</Fact>
        <Fact name="Next">
          {isOpen && <>pay run {schedule.window.toString()} is being paid</>}
          {!isOpen && !isToGoOn && <span class="faint">none</span>}
          {!isOpen && isToGoOn && <NextTime schedule={schedule} />}
        </Fact>
        {schedule.kept > 0 && (
          <Fact name="End">
            none: {reservedWindows(schedule)} of the {countText(schedule.kept, 'pay run', 'pay runs')} that it keeps are
            reserved
          </Fact>
        )}
        <Fact name={schedule.kept > 0 ? 'Pay runs with fees prepaid' : 'Pay runs left'}>
          {schedule.executionsLeft.toLocaleString('en')}
        </Fact>
        <Fact name="Paid so far">{withName(schedule.paidTotal, token)}</Fact>
        <Fact name="Held back">
          {schedule.heldCount === 0 ? 'nobody' : countText(schedule.heldCount, 'entry', 'entries')}
        </Fact>
        <Fact name="Vault">
          <a href={href(`mine/vaults/${token.mint}`)}>{withName(own.vault.available, token)} available</a>
        </Fact>
      </Facts>
    </>
  );
}

const NAMES: Readonly<Record<StatusChangeName, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel for good',
};
const CLOSE = 'Close the payroll';

type ActionsProps = {
  readonly own: OwnSchedule;
  readonly onAction: (action: AskedAction) => void;
};

/** What can be done with a payroll as it stands. */
function Actions({ own, onAction }: ActionsProps) {
  const { schedule, address } = own;
  const isOver = hasEnded(schedule);
  return (
    <section class="actions wide" aria-label="What can be done">
      {!isOver && (
        <a class="button" href={href(`mine/${address}/change`)}>
          Change the list
        </a>
      )}
      {statusChangesOf(schedule).map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => onAction({ name: NAMES[name], plan: async () => statusChange(name, own) })}
        >
          {NAMES[name]}
        </button>
      ))}
      <a class="button" href={href(`mine/webhooks/${address}`)}>
        Webhooks
      </a>
      {isOver ? (
        <button type="button" onClick={() => onAction({ name: CLOSE, plan: () => closeSchedule(own) })}>
          {CLOSE}
        </button>
      ) : (
        <AddPayRuns own={own} onAction={onAction} />
      )}
    </section>
  );
}

/** When the next pay run may begin. */
function NextTime({ schedule }: Pick<OwnSchedule, 'schedule'>) {
  const due = dueAt(schedule);
  return due === NO_DATE ? <>no date is left: name more as you fund it</> : <Time at={millisOf(due)} />;
}
