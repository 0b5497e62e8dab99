//! Execution layer. A recipient ends a withdrawal that waits for its release: the money never left their balance. One that has its
//! number can be paid any moment, so it can only be redirected.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(66)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        /// The withdrawal's number among the balance's own.
        id: u32,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { id } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: personal.address(), program_id }
        .check(&personal.recipient)?;
    if personal.withdrawal(id)?.number != 0 {
        return Err(Failure::WithdrawalReleased.into());
    }

    personal.end(id)?;
    events::WithdrawalCancelled {}.emit();
    Ok(())
}
