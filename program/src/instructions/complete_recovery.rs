//! Execution layer. A recovery wallet has everything of a balance whose owner hasn't refused paid out, and what comes later: by a standing
//! order. It may say again to which wallet, when that one can't be paid.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(70)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        wallet: Address,
        /// Minutes until each release, at least.
        #[default(0)]
        delay_min: u16,
        /// Minutes until each release, at most; 0: at once.
        #[default(0)]
        delay_max: u16,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { wallet, delay_min, delay_max } = Data::parse(data)?;

    let now = now()?;
    personal.recovery.make_due_change(now);
    let address = *personal.address();
    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: &address, program_id }
        .check_recovery(&personal.recovery)?;
    personal.recovery.check_due(now)?;
    if delay_min > delay_max {
        return Err(Failure::InvalidData.into());
    }
    personal.check_wallet(&wallet, program_id)?;

    personal.hand_over(&wallet, (delay_min, delay_max));
    events::RecoveryCompleted {}.emit();
    Ok(())
}
