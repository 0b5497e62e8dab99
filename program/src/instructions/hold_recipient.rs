//! Base. The employer holds one recipient of the current list back, by index, from the next window on, without a new list.

use crate::prelude::*;

accounts! {
    #[selector(21)]
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

    schedule.hold(index)?;
    events::RecipientHeld { schedule: *schedule.address(), index }.emit();
    Ok(())
}
