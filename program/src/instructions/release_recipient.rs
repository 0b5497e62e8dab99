//! Base. The employer releases a recipient who was held back: paid again from the next window on.

use crate::prelude::*;

accounts! {
    #[selector(22)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
    }
}

data! {
    pub struct Data {
        /// Of the list that the employer has looked at.
        root_version: u32,
        /// In that list.
        index: u32,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, vault, mut schedule } = Accounts::parse(accounts, program_id)?;
    let Data { root_version, index } = Data::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }
    schedule.check_root_version(root_version)?;

    schedule.release(index)?;
    events::RecipientReleased { schedule: *schedule.address(), index }.emit();
    Ok(())
}
