//! Base. The employer resumes a paused schedule. What became of the windows of the pause is the schedule's own rule for missed ones.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Missed, Schedule, Status, Vault, load, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, vault, schedule] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    load::<Vault>(vault, program_id)?.check_employer(employer)?;
    if schedule.status != Status::Paused as u8 {
        return Err(Failure::ScheduleNotPaused.into());
    }

    schedule.status = Status::Active as u8;
    // An open window's own time stands until it is settled.
    if schedule.missed == Missed::Skip as u8 && !schedule.is_open() {
        schedule.next_execution =
            schedule.calendar().first_from(schedule.next_execution, Clock::get()?.unix_timestamp)?;
    }
    Event::new(Kind::ScheduleResumed).address(&schedule_address).i64(schedule.next_execution).emit();
    Ok(())
}
