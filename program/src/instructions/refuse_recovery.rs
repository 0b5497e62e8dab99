//! Execution layer. A recipient ends a recovery of their balance; at any time, because it is theirs.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(69)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    let address = *personal.address();
    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: &address, program_id }
        .check(&personal.recipient)?;
    let now = now()?;
    personal.recovery.make_due_change(now);

    personal.recovery.refuse(now)?;
    events::RecoveryRefused {}.emit();
    Ok(())
}
