//! Base. The employer closes a schedule that has ended; both its accounts' lamports return, the prepaid ones that no window used as well,
//! the batch's only if it is back. What the operator lent to a batch whose window was never settled goes to the operator. The id is never used
//! again.

use crate::{delegation, prelude::*, state};

accounts! {
    #[selector(18)]
    pub struct Accounts {
        #[signer] #[writable] employer: AccountView,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
        #[writable] batch: Derived<Batch>,
        config: Account<Config>,
        /// The execution authority, which lent.
        #[writable] authority: AccountView,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { mut employer, mut vault, mut schedule, mut batch, config, mut authority } =
        Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    if !schedule.has_ended() || schedule.is_open() {
        return Err(Failure::ScheduleNotEnded.into());
    }
    accounts::is(&authority, &config.execution_authority)?;
    let address = *schedule.address();
    accounts::at(&batch, &Batch::seeds(address.as_ref()), schedule.batch_bump, program_id)?;
    // A batch that the layer kept, or gave back without bytes, must not keep the schedule, and with it the vault, from being closed.
    let is_back = batch.owned_by(program_id);
    if is_back && !batch.is_data_empty() {
        state::check::<Batch>(&batch, program_id)?;
    } else if !is_back {
        delegation::check_delegated(&batch)?;
    }

    vault.schedules = vault.schedules.checked_sub(1).ok_or(Failure::Overflow)?;
    if is_back {
        let repaid = schedule.repay(&batch)?;
        accounts::move_lamports(&mut batch, &mut authority, repaid)?;
        accounts::close(&mut batch, &mut employer)?;
    }
    accounts::close(&mut schedule.view, &mut employer)?;
    events::ScheduleClosed { schedule: address }.emit();
    Ok(())
}
