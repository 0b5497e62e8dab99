//! Base. The employer cancels a schedule: what is reserved for windows not yet opened is available at once. An open window ends as
//! usual, because its recipients may have been paid.

use crate::prelude::*;

accounts! {
    #[selector(14)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, mut vault, mut schedule } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }

    let released = schedule.cancel(&mut vault)?;
    events::ScheduleCancelled { schedule: *schedule.address(), released }.emit();
    Ok(())
}
