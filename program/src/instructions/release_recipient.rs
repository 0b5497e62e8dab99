//! Base. The employer releases a recipient who was held back: paid again from the next window on.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Schedule, Vault, load, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, vault, schedule] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let index = reader.u32()?;
    reader.end()?;

    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    load::<Vault>(vault, program_id)?.check_employer(employer)?;
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }

    let place = schedule.held().iter().position(|held| held == &index).ok_or(Failure::NotHeld)?;
    let last = schedule.held_count.checked_sub(1).ok_or(Failure::NotHeld)?;
    schedule.held.swap(place, usize::from(last));
    if let Some(freed) = schedule.held.get_mut(usize::from(last)) {
        *freed = 0;
    }
    schedule.held_count = last;
    Event::new(Kind::RecipientReleased).address(&schedule_address).u32(index).emit();
    Ok(())
}
