//! Execution layer. A recipient ends a withdrawal that waits for its release: the money never left their balance. One that has its
//! number can be paid any moment, so it can only be redirected.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(66)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] balance: Account<Balance>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut balance, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: balance.address(), program_id }
        .check(&balance.recipient)?;
    if balance.pending_amount == 0 {
        return Err(Failure::NoWithdrawalPending.into());
    }
    if !balance.is_waiting() {
        return Err(Failure::WithdrawalReleased.into());
    }

    balance.end_withdrawal();
    events::WithdrawalCancelled {}.emit();
    Ok(())
}
