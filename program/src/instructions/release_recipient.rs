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
        /// In the current list.
        index: u32,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, vault, mut schedule } = Accounts::parse(accounts, program_id)?;
    let Data { index } = Data::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }

    schedule.release(index)?;
    events::RecipientReleased { schedule: *schedule.address(), index }.emit();
    Ok(())
}
