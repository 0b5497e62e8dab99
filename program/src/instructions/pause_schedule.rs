//! Base. The employer pauses a schedule: no window opens meanwhile. One that is open ends as usual.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Schedule, Status, Vault, load, load_mut},
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
    load::<Vault>(vault, program_id)?.check_employer(employer)?;
    if schedule.status != Status::Active as u8 {
        return Err(Failure::ScheduleNotActive.into());
    }

    schedule.status = Status::Paused as u8;
    Event::new(Kind::SchedulePaused).address(&schedule_address).emit();
    Ok(())
}
