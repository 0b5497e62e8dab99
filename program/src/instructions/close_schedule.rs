//! Base. The employer closes a schedule that has ended; both its accounts' lamports return, the batch's only if it is back. Its id is never
//! used again.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    layer,
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
    accounts::at(batch, &[Batch::SEED, schedule_address.as_ref(), &[terms.batch_bump]], program_id)?;
    // A batch that the layer kept, or gave back without bytes, must not keep the schedule, and with it the vault, from being closed.
    let is_back = batch.owned_by(program_id);
    if is_back && !batch.is_data_empty() {
        load::<Batch>(batch, program_id)?;
    } else if !is_back {
        layer::check_delegated(batch)?;
    }

    vault.schedules = vault.schedules.checked_sub(1).ok_or(Failure::Overflow)?;
    if is_back {
        accounts::close(batch, employer)?;
    }
    accounts::close(schedule, employer)?;
    Event::new(Kind::ScheduleClosed).address(&schedule_address).emit();
    Ok(())
}
