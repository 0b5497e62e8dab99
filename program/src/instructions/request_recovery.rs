//! Execution layer. A recovery wallet asks for a balance. Its owner has fourteen days to refuse.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(68)]
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

    let now = now()?;
    personal.recovery.make_due_change(now);
    let address = *personal.address();
    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: &address, program_id }
        .check_recovery(&personal.recovery)?;

    personal.recovery.request(now)?;
    events::RecoveryRequested {}.emit();
    Ok(())
}
