//! Base. The approver agrees to what waits: a schedule's first start, a new list, more executions. All terms are named as they will stand,
//! so what was put in their place between look and signature is refused.

use crate::{
    accounts, amount,
    calendar::Calendar,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Approval, Proposal, Schedule, Status, Vault, load, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// The terms that the approver names.
struct Terms {
    root: [u8; 32],
    amount: u64,
    recipients: u32,
    /// All that are left then.
    executions: u32,
    calendar: Calendar,
    next_execution: i64,
    batch_timeout: u32,
    missed: u8,
}

impl Terms {
    fn read(data: &[u8]) -> Result<Self, Failure> {
        let mut reader = Reader::new(data);
        let terms = Terms {
            root: *reader.array::<32>()?,
            amount: reader.u64()?,
            recipients: reader.u32()?,
            executions: reader.u32()?,
            calendar: Calendar { unit: reader.u8()?, every: reader.u32()?, day: reader.u8()? },
            next_execution: reader.i64()?,
            batch_timeout: reader.u32()?,
            missed: reader.u8()?,
        };
        reader.end()?;
        Ok(terms)
    }

    /// Whether the schedule has them, with what waits put in its place.
    fn are_of(&self, schedule: &Schedule) -> Result<bool, Failure> {
        let (waits, calendar) = (&schedule.proposal, &self.calendar);
        let (root, amount, recipients) = if waits.recipients == 0 {
            (&schedule.root, schedule.amount, schedule.recipients)
        } else {
            (&waits.root, waits.amount, waits.recipients)
        };
        Ok(&self.root == root
            && self.amount == amount
            && self.recipients == recipients
            && self.executions == schedule.executions_approved()?
            && calendar.unit == schedule.unit
            && calendar.every == schedule.every
            && calendar.day == schedule.day
            && self.next_execution == schedule.next_execution
            && self.batch_timeout == schedule.batch_timeout
            && self.missed == schedule.missed)
    }
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [approver, approval, vault, schedule] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let terms = Terms::read(data)?;

    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    let vault = load_mut::<Vault>(vault, program_id)?;
    load::<Approval>(approval, program_id)?.check_approver(&schedule.vault, approver)?;
    let now = Clock::get()?.unix_timestamp;
    schedule.proposal.check_waits(now)?;
    if !terms.are_of(schedule)? {
        return Err(Failure::ProposalChanged.into());
    }
    // A list alone doesn't bring back what has come to its end meanwhile.
    if terms.executions == 0 {
        return Err(Failure::ScheduleEnded.into());
    }

    amount::sub(&mut vault.reserved, schedule.promised()?)?;
    if schedule.proposal.recipients != 0 {
        schedule.put_list(terms.root, terms.amount, terms.recipients)?;
    }
    schedule.executions_left = terms.executions;
    vault.reserve(schedule.promised()?)?;
    if schedule.is_awaiting() || schedule.status == Status::Completed as u8 {
        // Nothing was promised until now, so nothing was missed: no windows that pile up.
        schedule.next_execution = schedule.calendar().first_from(schedule.next_execution, now)?;
        schedule.status = Status::Active as u8;
    }
    schedule.proposal = Proposal::NONE;
    Event::new(Kind::ScheduleApproved)
        .address(&schedule_address)
        .u32(schedule.root_version)
        .u64(schedule.amount)
        .u32(schedule.recipients)
        .u32(schedule.executions_left)
        .i64(schedule.next_execution)
        .emit();
    Ok(())
}
