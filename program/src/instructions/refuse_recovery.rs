//! Execution layer. A recipient ends a recovery of their balance; at any time, because it is theirs.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(69)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        balance: Account<Balance>,
        #[writable] recovery: Derived<Recovery>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, balance, recovery, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: balance.address(), program_id }
        .check(&balance.recipient)?;
    let now = now()?;
    let mut recovery = Recovery::of_balance(&recovery, balance.address(), now, program_id)?;

    recovery.refuse(now)?;
    events::RecoveryRefused {}.emit();
    Ok(())
}
