//! Base. The employer pauses a schedule: no window opens meanwhile. One that is open ends as usual.

use crate::prelude::*;

accounts! {
    #[selector(12)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, vault, mut schedule } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    if schedule.status != ScheduleStatus::Active {
        return Err(Failure::ScheduleNotActive.into());
    }

    schedule.status = ScheduleStatus::Paused.into();
    events::SchedulePaused { schedule: *schedule.address() }.emit();
    Ok(())
}
