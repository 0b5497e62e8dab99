//! Base, called by the delegation program: restores a batch that comes back. Its content is not trusted; `settle` bounds it.

use crate::{data::Reader, delegation, prelude::*};

accounts! {
    pub struct Accounts {
        #[writable] delegated: AccountView,
        buffer: AccountView,
        payer: AccountView,
        system_program: Known<SystemProgram>,
    }
}

/// Seeds as the delegation program stores them: count u32, then length u32 and bytes each. Returns the schedule's address.
fn schedule_of(data: &[u8]) -> Result<&[u8], Failure> {
    let mut reader = Reader::new(data);
    let count = u32::read(&mut reader)?;
    let name_length = u32::read(&mut reader)? as usize;
    let name = reader.bytes(name_length)?;
    let schedule_length = u32::read(&mut reader)? as usize;
    let schedule = reader.bytes(schedule_length)?;
    reader.end()?;
    if count != 2 || name != Batch::SEED || schedule_length != 32 {
        return Err(Failure::InvalidCallback);
    }
    Ok(schedule)
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { mut delegated, buffer, payer, .. } = Accounts::parse(accounts, program_id)?;
    let schedule = schedule_of(data)?;

    let size = buffer.data_len();
    let creation = Creation { payer: &payer, program_id, seeds: &Batch::seeds(schedule), size };
    delegation::restore(&mut delegated, &buffer, &creation)?;

    let batch = Account::<Batch>::of(&delegated, program_id).map_err(|_| Failure::InvalidCallback)?;
    if batch.schedule.as_ref() != schedule {
        return Err(Failure::InvalidCallback.into());
    }
    Ok(())
}
