//! Base. The approver refuses what waits, or the employer takes it back. A schedule that was never approved is cancelled; of another
//! only the change is gone.

use crate::prelude::*;

accounts! {
    #[selector(44)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        approval: Derived<Approval>,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, approval, mut vault, mut schedule } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    accounts::is(&vault.view, &schedule.vault)?;
    if signer.address() == &vault.employer {
        // Also when the policy is gone, and its account with it.
        vault.check_open()?;
    } else {
        Account::<Approval>::of(&approval, program_id)?.check_approver(&schedule.vault, &signer)?;
    }
    if schedule.proposal.at == 0 {
        return Err(Failure::NothingProposed.into());
    }

    let released = if schedule.is_awaiting() { schedule.cancel(&mut vault)? } else { 0 };
    schedule.drop_proposal();
    events::ScheduleRejected { schedule: *schedule.address(), released }.emit();
    Ok(())
}
