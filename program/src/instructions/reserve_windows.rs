//! Base. Reserves windows of a schedule without an end, as many as it keeps and the vault covers. Anybody may send it: an opening does the
//! same, so it only brings forward what its employer has promised.

use crate::prelude::*;

accounts! {
    #[selector(58)]
    pub struct Accounts {
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { mut vault, mut schedule } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    accounts::is(&vault.view, &schedule.vault)?;
    // A pause takes nothing more from what its employer can withdraw.
    if schedule.status != ScheduleStatus::Active {
        return Err(Failure::ScheduleNotActive.into());
    }

    if schedule.refill(&mut vault)? == 0 { Err(Failure::NothingToReserve.into()) } else { Ok(()) }
}
