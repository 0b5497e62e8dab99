//! Execution layer. A recovery wallet has everything of a balance whose owner hasn't refused paid out, and what comes later: by a standing
//! order. It may say again to which wallet, when that one can't be paid.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(70)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] balance: Account<Balance>,
        #[writable] recovery: Derived<Recovery>,
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
    let Accounts { signer, mut balance, recovery, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { wallet, delay_min, delay_max } = Data::parse(data)?;

    let now = now()?;
    let recovery = Recovery::of_balance(&recovery, balance.address(), now, program_id)?;
    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: balance.address(), program_id }
        .check_recovery(&recovery)?;
    recovery.check_due(now)?;
    if delay_min > delay_max {
        return Err(Failure::InvalidData.into());
    }
    balance.check_wallet(&wallet, program_id)?;

    balance.hand_over(&wallet, (delay_min, delay_max));
    events::RecoveryCompleted {}.emit();
    Ok(())
}
