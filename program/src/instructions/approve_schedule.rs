//! Base. The approver agrees to what waits: a schedule's first start, a new list, more executions. All terms are named, so what was put
//! in their place between look and signature is refused; by names that windows don't change which open or are settled meanwhile.

use crate::{calendar::CalendarUnit, data::UnalignedU32, prelude::*};

accounts! {
    #[selector(43)]
    pub struct Accounts {
        #[signer] approver: AccountView,
        approval: Account<Approval>,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
    }
}

data! {
    /// The terms that the approver names.
    pub struct Data<'a> {
        root: Hash,
        /// Base units for each execution.
        amount: u64,
        recipients: u32,
        /// All windows that the schedule then has had and will have.
        windows: u64,
        unit: Code<CalendarUnit>,
        /// Units between executions.
        every: u32,
        /// 1 to 31 for months on a day, else 0.
        day: u8,
        /// Unix seconds: the next execution, or an earlier one of the same calendar.
        next_execution: i64,
        /// Seconds.
        batch_timeout: u32,
        missed: Code<MissedWindows>,
        /// Windows that it keeps reserved without an end; 0: it has one.
        kept: u8,
        /// All dates of a calendar of dates, minutes since 1970.
        dates: &'a [UnalignedU32],
        /// Who is held back in the list that waits, by ascending indexes; nobody where none waits.
        held: &'a [UnalignedU32],
    }
}

impl Data<'_> {
    /// Whether the schedule has them, with what waits put in its place.
    fn are_of(&self, schedule: &Schedule) -> Result<bool, Failure> {
        let waits = &schedule.proposal;
        let (root, amount, recipients) = if waits.recipients == 0 {
            (&schedule.root, schedule.amount, schedule.recipients)
        } else {
            (&waits.root, waits.amount, waits.recipients)
        };
        Ok(&self.root == root
            && self.amount == amount
            && self.recipients == recipients
            && self.windows == schedule.window.saturating_add(u64::from(schedule.executions_approved()?))
            && self.unit.number == schedule.unit.number
            && self.every == schedule.every
            && self.day == schedule.day
            && schedule.is_ahead_of(self.next_execution)
            && self.dates.iter().map(UnalignedU32::get).eq(schedule.all_dates().iter().copied())
            && self.batch_timeout == schedule.batch_timeout
            && self.missed.number == schedule.missed.number
            && self.kept == schedule.kept
            && self.held.iter().map(UnalignedU32::get).eq(schedule.proposed_held().iter().copied()))
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { approver, approval, mut vault, mut schedule } = Accounts::parse(accounts, program_id)?;
    let terms = Data::parse(data)?;

    accounts::is(&vault.view, &schedule.vault)?;
    approval.check_approver(&schedule.vault, &approver)?;
    let now = now()?;
    schedule.proposal.check_waits(now)?;
    if !terms.are_of(&schedule)? {
        return Err(Failure::ProposalChanged.into());
    }
    // A list alone doesn't bring back what has come to its end meanwhile.
    let executions = schedule.executions_approved()?;
    if executions == 0 {
        return Err(Failure::ScheduleEnded.into());
    }

    schedule.release_reserve(&mut vault)?;
    let has_list = schedule.proposal.recipients != 0;
    if has_list {
        schedule.put_proposed_list()?;
    }
    schedule.executions_left = executions;
    let unopened = schedule.unopened();
    schedule.reserve(&mut vault, unopened)?;
    schedule.proposal = Proposal::NONE;
    if schedule.is_awaiting() || schedule.status == ScheduleStatus::Completed {
        // Nothing was promised until now, so nothing was missed: no windows that pile up.
        schedule.go_on_from(now)?;
        schedule.status = ScheduleStatus::Active.into();
    }
    schedule.go_on_with_dates(now)?;
    let address = *schedule.address();
    events::ScheduleApproved {
        schedule: address,
        root_version: schedule.root_version,
        amount: schedule.amount,
        recipients: schedule.recipients,
        executions: schedule.executions_left,
        next_execution: schedule.next_execution,
    }
    .emit();
    if has_list {
        schedule.log_held(&address);
    }
    Ok(())
}
