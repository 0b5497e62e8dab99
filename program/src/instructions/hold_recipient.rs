//! Base. The employer holds one recipient of the present list back, by index, from the next window on, without a new list.

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
    if index >= schedule.recipients {
        return Err(Failure::InvalidRange.into());
    }
    if schedule.held().contains(&index) {
        return Err(Failure::AlreadyHeld.into());
    }

    let place = schedule.held.get_mut(usize::from(schedule.held_count)).ok_or(Failure::TooManyHeld)?;
    *place = index;
    schedule.held_count = schedule.held_count.wrapping_add(1);
    Event::new(Kind::RecipientHeld).address(&schedule_address).u32(index).emit();
    Ok(())
}
