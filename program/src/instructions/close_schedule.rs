//! Base. The employer closes a schedule that has ended; both its accounts' lamports return. Its id is never used again.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Batch, Schedule, Vault, load, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, vault, schedule, batch] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    let schedule_address = *schedule.address();
    let terms = load::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &terms.vault)?;
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    if !terms.has_ended() || terms.is_open() {
        return Err(Failure::ScheduleNotEnded.into());
    }
    if load::<Batch>(batch, program_id)?.schedule != schedule_address {
        return Err(Failure::InvalidAccount.into());
    }

    vault.schedules = vault.schedules.checked_sub(1).ok_or(Failure::Overflow)?;
    accounts::close(batch, employer)?;
    accounts::close(schedule, employer)?;
    Event::new(Kind::ScheduleClosed).address(&schedule_address).emit();
    Ok(())
}
