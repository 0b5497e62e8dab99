//! Execution layer. A recipient pays from their private balance to a payment code: the owner of another private balance, which names
//! nobody. The execution authority, which knows where that balance is, moves the money; until then it is the sender's, who may cancel.

use crate::{authority::Authority, prelude::*, state::NO_OWNER};

accounts! {
    #[selector(80)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
        page: Account<BalancePage>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data<'a> {
        /// Base units.
        amount: u64,
        /// Owner of the balance that is paid.
        code: &'a Hash,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, mut page, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { amount, code } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: personal.address(), program_id }
        .check(&personal.recipient)?;
    accounts::is(&page.view, &personal.page)?;
    if code == &NO_OWNER || code == &personal.owner {
        return Err(Failure::InvalidPaymentCode.into());
    }

    let slot = page.slot_of(personal.slot, &personal.owner)?;
    personal.transfer(slot, amount, code)?;
    Ok(())
}
