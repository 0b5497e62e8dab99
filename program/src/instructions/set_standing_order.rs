//! Execution layer. A recipient says from which amount on, to which wallet, in which parts and how much later tokens go out by
//! themselves.

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
    let part = reader.u64()?;
    let delay_min = reader.u16()?;
    let delay_max = reader.u16()?;
    reader.end()?;

    let balance = load_mut::<Balance>(balance, program_id)?;
    balance.check_recipient(recipient)?;
    let ends = threshold == 0;
    // An order to nowhere would lock what it takes out.
    if !ends && (wallet == Address::default() || part > threshold || delay_min > delay_max) {
        return Err(Failure::InvalidData.into());
    }

    balance.order_threshold = threshold;
    balance.order_wallet = if ends { Address::default() } else { wallet };
    balance.order_part = if ends { 0 } else { part };
    balance.order_delay_min = if ends { 0 } else { delay_min };
    balance.order_delay_max = if ends { 0 } else { delay_max };
    balance.note();
    Event::new(Kind::StandingOrderSet).emit();
    Ok(())
}
