//! Execution layer. A recipient says from which amount on, to which wallet, in which parts and how much later tokens go out by
//! themselves.

use crate::{
    authority::Authority,
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
    let [signer, balance, instructions_sysvar] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let threshold = reader.u64()?;
    let wallet = reader.address()?;
    let part = reader.u64()?;
    let delay_min = reader.u16()?;
    let delay_max = reader.u16()?;
    reader.end()?;

    let balance_view = *balance;
    let authority = Authority { signer, instructions_sysvar, balance: balance_view.address(), program_id };
    let balance = load_mut::<Balance>(balance, program_id)?;
    authority.check(&balance.recipient)?;
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
