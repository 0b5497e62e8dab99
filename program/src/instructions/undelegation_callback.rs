//! Base, called by the delegation program: restores a batch that comes back. Its content is not trusted; `settle` bounds it.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    state::{Batch, load},
};
use ephemeral_rollups_pinocchio::instruction::undelegate;
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [delegated, buffer, payer, system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    accounts::system_program(system_program)?;
    // Seeds as the delegation program stores them: count u32, then length u32 and bytes each.
    let mut reader = Reader::new(data);
    let count = reader.u32()?;
    let name_length = reader.u32()? as usize;
    let name = reader.bytes(name_length)?;
    let schedule_length = reader.u32()? as usize;
    let schedule = reader.bytes(schedule_length)?;
    reader.end()?;
    if count != 2 || name != Batch::SEED || schedule_length != 32 {
        return Err(Failure::InvalidCallback.into());
    }
    accounts::derived(delegated, &[Batch::SEED, schedule], program_id)?;

    // Checks that the buffer signs and is the delegation program's for this account.
    undelegate(delegated, program_id, buffer, payer, data)?;

    let batch = load::<Batch>(delegated, program_id).map_err(|_| Failure::InvalidCallback)?;
    if batch.schedule.as_ref() != schedule {
        return Err(Failure::InvalidCallback.into());
    }
    Ok(())
}
