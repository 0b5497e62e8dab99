//! Execution layer. A recovery wallet asks for a balance. Its owner has fourteen days to refuse.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(68)]
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

    let now = now()?;
    let mut recovery = Recovery::of_balance(&recovery, balance.address(), now, program_id)?;
    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: balance.address(), program_id }
        .check_recovery(&recovery)?;

    recovery.request(now)?;
    events::RecoveryRequested {}.emit();
    Ok(())
}
