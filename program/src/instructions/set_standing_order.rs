//! Execution layer. A recipient says from which amount on, and to which wallet, everything goes out by itself.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Balance, load_mut},
};
use pinocchio::{Address, ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [recipient, balance] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let threshold = reader.u64()?;
    let wallet = reader.address()?;
    reader.end()?;

    let balance = load_mut::<Balance>(balance, program_id)?;
    balance.check_recipient(recipient)?;
    // An order to nowhere would lock what it takes out.
    if threshold != 0 && wallet == Address::default() {
        return Err(Failure::InvalidData.into());
    }

    balance.order_threshold = threshold;
    balance.order_wallet = if threshold == 0 { Address::default() } else { wallet };
    balance.note();
    Event::new(Kind::StandingOrderSet).emit();
    Ok(())
}
