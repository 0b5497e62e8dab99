//! Execution layer. Closes a batch that is complete (all paid, or timed out), and sends it back to the base.

use crate::{prelude::*, state::tail_mut};
use ephemeral_rollups_pinocchio::instruction::commit_and_undelegate_accounts;

accounts! {
    #[selector(33)]
    pub struct Accounts {
        #[signer] #[writable] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        magic_program: Known<MagicProgram>,
        #[writable] magic_context: Known<MagicContext>,
    }
}

data! {
    pub struct Data {
        window: u64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut batch, magic_program, magic_context } =
        Accounts::parse(accounts, program_id)?;
    let Data { window } = Data::parse(data)?;

    config.check_authority(&authority)?;
    batch.check_open()?;
    if batch.window != window {
        return Err(Failure::WrongWindow.into());
    }
    if !batch.is_complete() {
        let deadline = batch.opened_at.checked_add(i64::from(batch.batch_timeout)).ok_or(Failure::Overflow)?;
        if now()? < deadline {
            return Err(Failure::BatchNotComplete.into());
        }
    }

    let committed = batch.view;
    // SAFETY: taken as a batch; the bitmap lies behind the fixed part.
    let paid_bits = unsafe { tail_mut::<Batch>(&mut batch.view) };
    let used = paid_bits.get(..batch.recipients.div_ceil(8) as usize).ok_or(Failure::InvalidAccount)?;
    batch.bitmap_hash = hash::bitmap(batch.schedule.as_ref(), window, used);
    // A commit carries the difference to the base's bytes, which hold no bitmap: neither may what goes back.
    paid_bits.fill(0);
    batch.phase = BatchPhase::Closed.into();
    let Batch { schedule, paid_count, paid_amount, .. } = *batch;
    events::WindowCommitted { schedule, window, paid_count, paid_amount }.emit();

    commit_and_undelegate_accounts(&authority, &[committed], &magic_context, &magic_program, None, None)
}
