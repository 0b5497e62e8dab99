//! Execution layer. Returns a private balance to whoever has a fresh signature of its recipient, for simulations: pages are nobody's to
//! read. With it comes what the address of its personal account follows from. The layer verifies the signature in simulations, too, so
//! nobody learns anything by asking.

use crate::{authority, data::Writer, prelude::*};
use pinocchio::cpi::set_return_data;

/// Bytes that are returned: amount u64 ‖ number of the personal account u16, as the page has it ‖ key 16.
const SHOWN: usize = 8 + 2 + 16;

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
    let number = *page.personal_of(slot, &owner)?;
    let key = hash::personal_key(&page.nonce, &owner);
    let mut shown = Writer::<SHOWN>::new();
    shown.bytes(&amount.to_le_bytes());
    shown.bytes(&number.to_le_bytes());
    shown.bytes(&key);
    set_return_data(shown.written());
    Ok(())
}
