//! Base. The employer promises more executions. A completed schedule becomes active again. Above the vault's limit they wait for the
//! approver.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, Listed, Schedule, Status, Vault, load, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, config, employer_entry, vault, schedule] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let executions = reader.u32()?;
    reader.end()?;

    let flags = load::<Config>(config, program_id)?.flags;
    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    let is_asked = flags & Config::EMPLOYERS_LISTED != 0;
    Listed { entry: employer_entry, subject: employer.address(), is_asked, program_id }.check()?;
    if schedule.status == Status::Cancelled as u8 {
        return Err(Failure::ScheduleEnded.into());
    }
    if executions == 0 {
        return Err(Failure::InvalidSchedule.into());
    }

    if vault.needs_approval(schedule.amount) && !schedule.is_awaiting() {
        schedule.proposal.executions = schedule.proposal.executions.checked_add(executions).ok_or(Failure::Overflow)?;
        schedule.proposal.proposed_at = Clock::get()?.unix_timestamp;
        schedule.log_proposal(&schedule_address)?;
        return Ok(());
    }
    vault.reserve(amount::mul(schedule.amount, u64::from(executions))?)?;
    schedule.executions_left = schedule.executions_left.checked_add(executions).ok_or(Failure::Overflow)?;
    if schedule.status == Status::Completed as u8 {
        // Between its end and now nothing was promised, so nothing was missed.
        schedule.next_execution =
            schedule.calendar().first_from(schedule.next_execution, Clock::get()?.unix_timestamp)?;
        schedule.status = Status::Active as u8;
    }
    if schedule.is_awaiting() {
        schedule.proposal.proposed_at = Clock::get()?.unix_timestamp;
    }
    Event::new(Kind::ScheduleFunded).address(&schedule_address).u32(executions).emit();
    Ok(())
}
