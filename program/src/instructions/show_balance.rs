//! Execution layer. Returns a private balance to whoever has a fresh signature of its recipient, for simulations: pages are nobody's to
//! read. The layer verifies the signature in simulations, too, so nobody learns anything by asking.

use crate::{authority, prelude::*};
use pinocchio::cpi::set_return_data;

accounts! {
    #[selector(75)]
    pub struct Accounts {
        page: Account<BalancePage>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data<'a> {
        recipient: Address,
        /// Opens the slot's owner.
        opening: &'a [u8; 16],
        /// 1: the balance goes to the recipient's own wallet.
        delivery: u8,
        slot: u8,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { mut page, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { recipient, opening, delivery, slot } = Data::parse(data)?;

    let owner = hash::owner(recipient.as_ref(), opening, delivery);
    authority::check_reader(&instructions_sysvar, &recipient, program_id, &owner)?;
    let amount = page.slot_of(slot, &owner)?.amount;
    set_return_data(&amount.to_le_bytes());
    Ok(())
}
