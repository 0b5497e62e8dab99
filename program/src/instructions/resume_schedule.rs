//! Base. The employer resumes a paused schedule. What became of the windows of the pause is the schedule's own rule for missed ones.

use crate::prelude::*;

accounts! {
    #[selector(13)]
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
    if schedule.status != ScheduleStatus::Paused {
        return Err(Failure::ScheduleNotPaused.into());
    }

    schedule.status = ScheduleStatus::Active.into();
    // An open window's own time stands until it is settled.
    if schedule.missed == MissedWindows::Skip && !schedule.is_open() {
        schedule.go_on_from(now()?)?;
    }
    events::ScheduleResumed { schedule: *schedule.address(), next_execution: schedule.next_execution }.emit();
    Ok(())
}
