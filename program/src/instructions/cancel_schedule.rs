//! Base. The employer cancels a schedule: what is reserved for windows not yet opened is available at once. An open window ends as
//! usual, because its recipients may have been paid.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Schedule, Vault, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

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
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }

    let released = schedule.cancel(vault)?;
    Event::new(Kind::ScheduleCancelled).address(&schedule_address).u64(released).emit();
    Ok(())
}
