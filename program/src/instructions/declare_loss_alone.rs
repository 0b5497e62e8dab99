//! Base. One of the two keys declares the execution layer lost, where the ledger itself shows that it is gone: a window's batch has not come
//! back for thirty days beyond its timeout. So neither key can keep the way out closed by not signing.

use crate::prelude::*;

/// Seconds beyond the batch timeout. A layer that lives gives a batch back within minutes.
const SILENCE: i64 = 30 * 86_400;

accounts! {
    #[selector(56)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] config: Account<Config>,
        schedule: Account<Schedule>,
        batch: Derived<Batch>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut config, schedule, batch } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_either_key(&signer)?;
    config.check_not_declared()?;
    accounts::at(&batch, &Batch::seeds(schedule.address().as_ref()), schedule.batch_bump, program_id)?;
    if !schedule.is_open() {
        return Err(Failure::WindowNotOpen.into());
    }
    let now = now()?;
    let silent_from = schedule.opened_at.saturating_add(i64::from(schedule.batch_timeout)).saturating_add(SILENCE);
    // A batch that is not the delegation program's any more has come back, and waits for its settlement.
    if now < silent_from || !batch.owned_by(&DelegationProgram::ADDRESS) {
        return Err(Failure::LayerNotSilent.into());
    }

    config.loss_declared_at = now;
    events::LossDeclared { final_at: config.loss_final_at() }.emit();
    Ok(())
}
