//! Execution layer. Returns what a recipient has asked of a balance to whoever has a fresh signature of theirs that shows them this balance, for
//! simulations: nobody but the execution authority may read the account itself, for a permission that named a recipient would say so to everybody.

use crate::{authority, prelude::*};
use pinocchio::cpi::set_return_data;

/// Bytes that one instruction can return.
const MOST: usize = 1_024;

accounts! {
    #[selector(78)]
    pub struct Accounts {
        personal: Account<Personal>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        /// The first byte of the account to be returned; 1,024 are, or what is left.
        from: u16,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { from } = Data::parse(data)?;

    authority::check_reader(&instructions_sysvar, &personal.recipient, program_id, &personal.owner)?;
    // SAFETY: nothing writes the account's bytes.
    let bytes = unsafe { personal.view.borrow_unchecked() };
    let rest = bytes.get(usize::from(from)..).ok_or(Failure::InvalidData)?;
    set_return_data(rest.get(..MOST).unwrap_or(rest));
    Ok(())
}
