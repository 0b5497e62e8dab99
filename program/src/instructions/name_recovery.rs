//! Execution layer. A recipient names who may take over their balance when they can't themselves: the first one at once, another one, or
//! nobody, after as long as a recovery takes.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(67)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        /// Zero: nobody.
        wallet: Address,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { wallet } = Data::parse(data)?;

    let address = *personal.address();
    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: &address, program_id }
        .check(&personal.recipient)?;
    // Whoever has lost their own key recovers nothing with it.
    if wallet == personal.recipient {
        return Err(Failure::InvalidWallet.into());
    }

    let now = now()?;
    if wallet == Address::default() && !personal.recovery.is_named() {
        return Err(Failure::NotRecoveryWallet.into());
    }
    personal.recovery.make_due_change(now);
    personal.recovery.name(&wallet, now)?;
    events::RecoveryNamed {}.emit();
    Ok(())
}
